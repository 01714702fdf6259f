// Each thing once, on entities that are empty: what `npm run measure -- record` records. It shows no behaviour of its own.

using Azure.Messaging.ServiceBus;
using Azure.Messaging.ServiceBus.Administration;
using static Scenarios.Bus;
using static Scenarios.Transactions;

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
        await OfTransactions(client, sender, receiver);
        await AcrossEntities();
        await OfErrors(client);
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

    static async Task OfTransactions(ServiceBusClient client, ServiceBusSender sender, ServiceBusReceiver receiver)
    {
        await sender.SendMessagesAsync([Text("one"), Text("two")]);
        var messages = await receiver.Take(2);
        await Transaction(End.Commit, async () =>
        {
            await receiver.Complete(messages[0]);
            await sender.SendMessageAsync(Text("three"));
            await sender.SendMessagesAsync([Text("four"), Text("five")]);
        });
        // The library asks for no answer to the roll back: what follows is right behind it.
        await Transaction(End.RollBack, () => sender.SendMessageAsync(Text("never")));
        await receiver.AbandonMessageAsync(messages[1]);
        await Transaction(End.Commit, async () =>
        {
            foreach (var message in await receiver.Take(4)) await receiver.CompleteMessageAsync(message);
        });
        var number = 0L;
        await Transaction(End.Commit, async () => number = await sender.ScheduleMessageAsync(Text("later"), DateTimeOffset.UtcNow.AddDays(1)));
        await Transaction(End.RollBack, () => sender.CancelScheduledMessageAsync(number));
        Expect.Equal("peeked", 1, (await receiver.PeekMessagesAsync(5, number)).Count);
        await sender.CancelScheduledMessageAsync(number);
        await OfDeferredMessages(sender, receiver);
        await client.Send("sessions", Text("of a session", "transaction"));
        await using var session = await client.AcceptSessionAsync("sessions", "transaction");
        var ofSession = await session.TakeOne();
        await Transaction(End.Commit, async () =>
        {
            await session.Complete(ofSession);
            await session.SetSessionStateAsync(new BinaryData("all done"));
        });
        await session.GetSessionStateAsync();
    }

    /// <summary>A deferred message has no link: its completion is a request.</summary>
    static async Task OfDeferredMessages(ServiceBusSender sender, ServiceBusReceiver receiver)
    {
        await sender.SendMessageAsync(Text("deferred"));
        var message = await receiver.TakeOne();
        await receiver.DeferMessageAsync(message);
        var deferred = await receiver.ReceiveDeferredMessageAsync(message.SequenceNumber);
        await Transaction(End.RollBack, () => receiver.CompleteMessageAsync(deferred));
        await Transaction(End.Commit, () => receiver.CompleteMessageAsync(deferred));
    }

    /// <summary>As a message handler of a framework has it: what it sends goes out with the end of its message, or not at all.</summary>
    static async Task AcrossEntities()
    {
        await using (var other = Connect()) await other.Send(Plain, "order", "bad order");
        await using var client = Connect(new ServiceBusClientOptions { EnableCrossEntityTransactions = true });
        await using var receiver = client.CreateReceiver(Plain);
        var order = await receiver.TakeOne();
        await using var queue = client.CreateSender("archive");
        await using var topic = client.CreateSender("events");
        await Transaction(End.Commit, async () =>
        {
            await queue.SendMessagesAsync([Text("one"), Text("two")]);
            await topic.SendMessageAsync(Text("handled", "s"));
            await receiver.Complete(order);
        });
        var bad = await receiver.TakeOne();
        await Transaction(End.RollBack, async () =>
        {
            await queue.SendMessageAsync(Text("wrong"));
            await topic.SendMessageAsync(Text("wrong", "s"));
        });
        await receiver.AbandonMessageAsync(bad);
        var again = await receiver.TakeOne();
        await Transaction(End.Commit, async () =>
        {
            await queue.SendMessageAsync(Text("bad order"));
            await receiver.Complete(again);
        });
        await Expect.Failure<InvalidOperationException>("receive from a second entity",
            () => client.CreateReceiver("archive").ReceiveMessageAsync(TimeSpan.FromSeconds(1)));
        await using (var other = Connect())
        await using (var archive = other.CreateReceiver("archive")) await archive.Complete(await archive.Take(3));
    }

    static async Task OfErrors(ServiceBusClient client)
    {
        await Expect.Reason("send to a missing queue", ServiceBusFailureReason.MessagingEntityNotFound, () => client.Send("missing", "lost"));
        await Expect.Reason("receive from a missing queue", ServiceBusFailureReason.MessagingEntityNotFound,
            () => client.CreateReceiver("missing").ReceiveMessageAsync(Patience));
    }
}
