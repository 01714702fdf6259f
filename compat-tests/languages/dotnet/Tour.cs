// Each thing once, on entities that are empty: what `npm run record` records. It shows no behaviour of its own.

using Azure.Messaging.ServiceBus;
using Azure.Messaging.ServiceBus.Administration;
using static Scenarios.Bus;

namespace Scenarios;

static class Tour
{
    public static readonly Dictionary<string, Func<Task>> Scenarios = new() { ["tour"] = All };

    static async Task All()
    {
        await using var client = Connect();
        await using var sender = client.CreateSender(Plain);
        await using var receiver = client.CreateReceiver(Plain);
        await OfMessages(sender, receiver);
        await OfSettlement(client, sender, receiver);
        await OfManagement(sender, receiver);
        await OfSessions(client);
        await OfTopics(client);
    }

    static async Task OfMessages(ServiceBusSender sender, ServiceBusReceiver receiver)
    {
        await sender.SendMessageAsync(new ServiceBusMessage("hello")
        {
            MessageId = "first", Subject = "greeting", ContentType = "text/plain", TimeToLive = TimeSpan.FromHours(1),
            ApplicationProperties = { ["text"] = "grün", ["whole"] = 7L, ["half"] = 1.5, ["yes"] = true, ["when"] = DateTime.UnixEpoch },
        });
        using var batch = await sender.CreateMessageBatchAsync();
        foreach (var id in new[] { "second", "third" }) batch.TryAddMessage(new ServiceBusMessage("batched") { MessageId = id });
        await sender.SendMessagesAsync(batch);
        Expect.Equal("peeked", 3, (await receiver.PeekMessagesAsync(5)).Count);
        await receiver.Complete(await receiver.Take(3));
        await receiver.ExpectEmpty();
    }

    static async Task OfSettlement(ServiceBusClient client, ServiceBusSender sender, ServiceBusReceiver receiver)
    {
        await sender.SendMessageAsync(Text("work"));
        await receiver.AbandonMessageAsync(await receiver.TakeOne(), new Dictionary<string, object> { ["attempt"] = 1 });
        await receiver.DeadLetterMessageAsync(await receiver.TakeOne(), "broken", "it does not work");
        await using var dead = client.DeadLetters(Plain);
        await dead.Complete(await dead.TakeOne());
    }

    static async Task OfManagement(ServiceBusSender sender, ServiceBusReceiver receiver)
    {
        await sender.SendMessageAsync(Text("later"));
        var message = await receiver.TakeOne();
        await receiver.RenewMessageLockAsync(message);
        await receiver.DeferMessageAsync(message);
        await receiver.Complete(await receiver.ReceiveDeferredMessageAsync(message.SequenceNumber));
        await sender.CancelScheduledMessageAsync(await sender.ScheduleMessageAsync(Text("tomorrow"), DateTimeOffset.UtcNow.AddDays(1)));
    }

    static async Task OfSessions(ServiceBusClient client)
    {
        await client.Send("sessions", Text("in order", "customer"));
        await using (var receiver = await client.AcceptSessionAsync("sessions", "customer"))
        {
            await receiver.SetSessionStateAsync(new BinaryData("half done"));
            await receiver.GetSessionStateAsync();
            await receiver.RenewSessionLockAsync();
            await receiver.Complete(await receiver.TakeOne());
        }
        await client.Send("sessions", Text("next", "another"));
        await using var next = await client.AcceptNextSessionAsync("sessions");
        await next.Complete(await next.TakeOne());
    }

    static async Task OfTopics(ServiceBusClient client)
    {
        await client.Send("events", new ServiceBusMessage("event") { Subject = "red", SessionId = "s" });
        await using var receiver = client.CreateReceiver("events", "red");
        await receiver.Complete(await receiver.TakeOne());
        await using var rules = client.CreateRuleManager("events", "red");
        await rules.CreateRuleAsync("by-level", new SqlRuleFilter("level > 5"));
        await foreach (var _ in rules.GetRulesAsync()) { }
        await rules.DeleteRuleAsync("by-level");
    }
}
