// Entities that `jitney create` made, and those that an emulator with --auto-create makes.

using Azure.Messaging.ServiceBus;
using Azure.Messaging.ServiceBus.Administration;
using static Scenarios.Bus;

namespace Scenarios;

static class Created
{
    public static readonly Dictionary<string, Func<Task>> Scenarios = new()
    {
        ["created-entities"] = ByCommand,
        ["auto-create"] = WhenNeeded,
        ["auto-create-peek"] = NotByPeek,
    };

    static async Task ByCommand()
    {
        var administration = Administration.Client();
        QueueProperties made = await administration.GetQueueAsync("made");
        Expect.Equal("made", (TimeSpan.FromSeconds(20), 2, TimeSpan.FromHours(1)),
            (made.LockDuration, made.MaxDeliveryCount, made.DefaultMessageTimeToLive));
        QueueProperties sessions = await administration.GetQueueAsync("made-sessions");
        Expect.Equal("sessions", true, sessions.RequiresSession);
        Expect.Equal("rules", ["color"], await Administration.Names(administration.GetRulesAsync("made-events", "red"), one => one.Name));

        await using var client = Connect();
        await client.Send("made", "poison");
        await using var receiver = client.CreateReceiver("made");
        for (var attempt = 0; attempt < 2; attempt++) await receiver.AbandonMessageAsync(await receiver.TakeOne());
        await receiver.ExpectEmpty();
        await TakeTexts(client.CreateReceiver("made-graves"), "poison");
        var session = NewId("session");
        await client.Send("made-sessions", Text("ordered", session));
        await TakeTexts(await client.AcceptSessionAsync("made-sessions", session), "ordered");
        foreach (var color in new[] { "red", "blue" })
            await client.Send("made-events", new ServiceBusMessage(color) { ApplicationProperties = { ["color"] = color } });
        await TakeTexts(client.CreateReceiver("made-events", "red"), "red");
        await TakeTexts(client.CreateReceiver("made-events", "all"), "red", "blue");
    }

    /// <summary>These messages and no others, completed.</summary>
    static async Task TakeTexts(ServiceBusReceiver receiver, params string[] expected)
    {
        await using var closing = receiver;
        var received = await receiver.Take(expected.Length);
        Expect.Equal("messages", expected, Bodies(received));
        await receiver.Complete(received);
        await receiver.ExpectEmpty();
    }

    static ServiceBusClient Creating() => new(Setting("AUTO_CREATE_CONNECTION_STRING"));

    static ServiceBusAdministrationClient CreatingAdministration() => new(Setting("AUTO_CREATE_TLS_CONNECTION_STRING"));

    static async Task WhenNeeded()
    {
        await using var client = Creating();
        var administration = CreatingAdministration();
        var (queue, topic, asked) = (NewId("queue"), NewId("topic"), NewId("asked"));
        async Task<bool> HasQueue(string name) => await administration.QueueExistsAsync(name);
        Expect.Equal("queue before", false, await HasQueue(queue));
        Expect.Equal("topic before", false, (await administration.TopicExistsAsync(topic)).Value);
        Expect.Equal("subscription before", false, (await administration.SubscriptionExistsAsync(topic, "sub")).Value);
        const ServiceBusFailureReason missing = ServiceBusFailureReason.MessagingEntityNotFound;
        await Expect.Reason("get", missing, () => administration.GetQueueAsync(queue));
        await Expect.Reason("get counts", missing, () => administration.GetQueueRuntimePropertiesAsync(queue));
        Expect.Equal("queue after probes", false, await HasQueue(queue));

        await client.Send(queue, "first");
        Expect.Equal("queue after a send", true, await HasQueue(queue));
        await TakeTexts(client.CreateReceiver(queue), "first");
        await TakeTexts(client.CreateReceiver(asked));
        Expect.Equal("queue after a receive", true, await HasQueue(asked));
        await TakeTexts(client.CreateReceiver(topic, "sub"));
        Expect.Equal("subscription after a receive", true, (await administration.SubscriptionExistsAsync(topic, "sub")).Value);
        // The queue is there already, and may have been meant as a topic.
        var failure = await Expect.Failure<Exception>("receive from a queue as a topic",
            () => client.CreateReceiver(queue, "sub").ReceiveMessageAsync(Patience));
        Expect.True($"the error names --topic: {failure.Message}", failure.Message.Contains("--topic"));
    }

    static async Task NotByPeek()
    {
        await using var client = Creating();
        var queue = NewId("peeked");
        await Expect.Reason("peek", ServiceBusFailureReason.MessagingEntityNotFound, () => client.CreateReceiver(queue).PeekMessageAsync());
        Expect.Equal("queue after a peek", false, (await CreatingAdministration().QueueExistsAsync(queue)).Value);
    }
}
