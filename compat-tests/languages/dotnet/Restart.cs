// Messages and states accepted before the broker is killed, and found when it runs again.

using Azure.Messaging.ServiceBus;
using static Scenarios.Bus;

namespace Scenarios;

static class Restart
{
    const string Forever = "forever";
    const string Session = "over the restart";

    public static readonly Dictionary<string, Func<Task>> Scenarios = new()
    {
        ["restart-before"] = Before,
        ["restart-after"] = After,
    };

    static async Task Before()
    {
        await using var client = Connect();
        await client.Drain(Forever);
        await client.Send(Forever, "deferred", "completed");
        await using var receiver = client.CreateReceiver(Forever);
        var received = await receiver.Take(2);
        await receiver.DeferMessageAsync(received[0]);
        await receiver.Complete(received[1]);
        await client.Send(Forever, new ServiceBusMessage("active") { ApplicationProperties = { ["kept"] = 1 } });
        await client.CreateSender(Forever).ScheduleMessageAsync(Text("scheduled"), DateTimeOffset.UtcNow.AddHours(1));
        await client.Send("sessions", Text("in a session", Session));
        await using var session = await client.AcceptSessionAsync("sessions", Session);
        await session.SetSessionStateAsync(new BinaryData("remembered"));
    }

    static async Task After()
    {
        await using var client = Connect();
        await using var receiver = client.CreateReceiver(Forever);
        var peeked = (await receiver.PeekMessagesAsync(10)).ToDictionary(Body);
        Expect.Equal<string[]>("messages", ["active: Active", "deferred: Deferred", "scheduled: Scheduled"],
            [.. peeked.Select(one => $"{one.Key}: {one.Value.State}").Order()]);
        var active = await receiver.TakeOne();
        Expect.Equal("body", "active", Body(active));
        Expect.Equal("property", 1, active.ApplicationProperties["kept"]);
        await receiver.Complete(active);
        await receiver.Complete(await receiver.ReceiveDeferredMessageAsync(peeked["deferred"].SequenceNumber));
        await client.CreateSender(Forever).CancelScheduledMessageAsync(peeked["scheduled"].SequenceNumber);
        await receiver.ExpectEmpty();
        await using var session = await client.AcceptSessionAsync("sessions", Session);
        Expect.Equal("session state", "remembered", (await session.GetSessionStateAsync()).ToString());
        var received = await session.TakeOne();
        Expect.Equal("body in the session", "in a session", Body(received));
        await session.Complete(received);
    }
}
