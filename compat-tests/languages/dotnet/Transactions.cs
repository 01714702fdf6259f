// Transactions on one entity: sends, outcomes, schedules, sessions, and what is refused.

using System.Transactions;
using Azure.Messaging.ServiceBus;
using static Scenarios.Bus;

namespace Scenarios;

static class Transactions
{
    const string Short = "short";

    public static readonly Dictionary<string, Func<Task>> Scenarios = new()
    {
        ["transaction-commit"] = Commit,
        ["transaction-rollback"] = RollBack,
        ["transaction-outcomes"] = Outcomes,
        ["transaction-schedule"] = Schedule,
        ["transaction-session"] = Session,
        ["transaction-subscription"] = Subscription,
        ["transaction-lost"] = Lost,
        ["transaction-refused"] = Refused,
    };

    public enum End { Commit, RollBack }

    /// <summary>What the clients do in there belongs to it: the library finds the transaction by itself.</summary>
    public static async Task Transaction(End end, Func<Task> act)
    {
        using var scope = new TransactionScope(TransactionScopeAsyncFlowOption.Enabled);
        await act();
        if (end == End.Commit) scope.Complete();
    }

    /// <summary>What a queue or subscription has now, taken out on a connection of its own and in no transaction.</summary>
    public static async Task<string[]> BodiesAt(string entity, string? subscription = null, string? session = null)
    {
        using var none = new TransactionScope(TransactionScopeOption.Suppress, TransactionScopeAsyncFlowOption.Enabled);
        await using var client = Connect();
        var last = new ServiceBusMessage("the last") { MessageId = NewId("last"), SessionId = session };
        await client.Send(entity, last);
        await using var receiver = session is not null ? await client.AcceptSessionAsync(entity, session)
            : subscription is null ? client.CreateReceiver(entity) : client.CreateReceiver(entity, subscription);
        // Surer than a look for a while: a receiver that opens late would see nothing in it.
        for (List<string> bodies = []; ;)
        {
            var message = await receiver.TakeOne();
            await receiver.Complete(message);
            if (message.MessageId == last.MessageId) return [.. bodies];
            bodies.Add(Body(message));
        }
    }

    static async Task Commit()
    {
        await BodiesAt(Plain);
        await using var client = Connect();
        await using var sender = client.CreateSender(Plain);
        await using var receiver = client.CreateReceiver(Plain);
        await client.Send(Plain, "complete me");
        var message = await receiver.TakeOne();
        await Transaction(End.Commit, async () =>
        {
            await receiver.Complete(message);
            await sender.SendMessageAsync(Text("one"));
            await sender.SendMessagesAsync([Text("two"), Text("three")]);
            Expect.Equal("bodies before the commit", [], await BodiesAt(Plain));
        });
        Expect.Equal("bodies after it", ["one", "two", "three"], await BodiesAt(Plain));
    }

    /// <summary>The library settles no message twice, so the message is to be had again when its lock ends.</summary>
    static async Task RollBack()
    {
        await BodiesAt(Short);
        await using var client = Connect();
        await using var sender = client.CreateSender(Short);
        await using var receiver = client.CreateReceiver(Short);
        await client.Send(Short, "complete me twice");
        var message = await receiver.TakeOne();
        await Transaction(End.RollBack, async () =>
        {
            await receiver.Complete(message);
            await sender.SendMessageAsync(Text("never"));
        });
        var again = await receiver.TakeOne();
        Expect.Equal("message", ("complete me twice", 2), (Body(again), again.DeliveryCount));
        await Transaction(End.Commit, () => receiver.Complete(again));
        Expect.Equal("bodies left", [], await BodiesAt(Short));
    }

    static async Task Outcomes()
    {
        await using var client = Connect();
        await client.Drain(Plain);
        await client.Send(Plain, "abandon", "defer", "bad");
        await using var receiver = client.CreateReceiver(Plain);
        var taken = await receiver.Take(3);
        await Transaction(End.Commit, async () =>
        {
            await receiver.AbandonMessageAsync(taken[0], new Dictionary<string, object> { ["attempt"] = 1 });
            await receiver.DeferMessageAsync(taken[1]);
            await receiver.DeadLetterMessageAsync(taken[2], "unreadable");
            Expect.Equal("bodies before the commit", [], await BodiesAt(Plain));
        });
        var abandoned = await receiver.TakeOne();
        Expect.Equal("abandoned", ("abandon", 2), (Body(abandoned), abandoned.DeliveryCount));
        Expect.Equal("changed property", 1, abandoned.ApplicationProperties["attempt"]);
        await receiver.Complete(abandoned);
        var deferred = await receiver.ReceiveDeferredMessageAsync(taken[1].SequenceNumber);
        await Transaction(End.Commit, () => receiver.Complete(deferred));
        await using var dead = client.DeadLetters(Plain);
        var letter = await dead.TakeOne();
        Expect.Equal("dead letter", ("bad", "unreadable"), (Body(letter), letter.DeadLetterReason));
        await dead.Complete(letter);
    }

    static async Task Schedule()
    {
        await using var client = Connect();
        await client.Drain(Plain);
        await using var sender = client.CreateSender(Plain);
        await using var receiver = client.CreateReceiver(Plain);
        var due = DateTimeOffset.UtcNow.AddHours(1);
        await Transaction(End.RollBack, () => sender.ScheduleMessageAsync(Text("never"), due));
        long number = 0;
        await Transaction(End.Commit, async () =>
        {
            number = await sender.ScheduleMessageAsync(Text("later"), due);
            Expect.Equal("peeked before the commit", [], Bodies(await receiver.PeekMessagesAsync(5, 0)));
        });
        Expect.Equal("peeked after it", ["later"], Bodies(await receiver.PeekMessagesAsync(5, number)));
        await sender.CancelScheduledMessageAsync(number);
    }

    static async Task Session()
    {
        var session = NewId("transaction");
        await BodiesAt("archive");
        foreach (var end in new[] { End.RollBack, End.Commit })
        {
            await HandleSession(session, end);
            var isCommitted = end == End.Commit;
            Expect.Equal($"bodies after {end}", [isCommitted ? "two" : "one"], await BodiesAt("sessions", session: session));
            Expect.Equal($"bodies sent after {end}", isCommitted ? ["three"] : [], await BodiesAt("archive"));
        }
    }

    /// <summary>Completes a message of the session, and sends to it and elsewhere.</summary>
    static async Task HandleSession(string session, End end)
    {
        await using var client = Connect(new ServiceBusClientOptions { EnableCrossEntityTransactions = true });
        await using (var other = Connect()) await other.Send("sessions", Text("one", session));
        await using var receiver = await client.AcceptSessionAsync("sessions", session);
        await using var sender = client.CreateSender("sessions");
        await using var elsewhere = client.CreateSender("archive");
        var message = await receiver.TakeOne();
        await Transaction(end, async () =>
        {
            await receiver.Complete(message);
            await sender.SendMessageAsync(Text("two", session));
            await elsewhere.SendMessageAsync(Text("three"));
        });
    }

    static async Task Subscription()
    {
        await BodiesAt("events", "all");
        await using var client = Connect();
        await using var sender = client.CreateSender("events");
        await using var receiver = client.CreateReceiver("events", "all");
        await sender.SendMessageAsync(Text("first"));
        var message = await receiver.TakeOne();
        await Transaction(End.Commit, async () =>
        {
            await receiver.Complete(message);
            await sender.SendMessageAsync(Text("second"));
        });
        Expect.Equal("bodies left", ["second"], await BodiesAt("events", "all"));
    }

    static async Task Lost()
    {
        await BodiesAt(Short);
        var client = Connect();
        await client.Send(Short, "work");
        var receiver = client.CreateReceiver(Short);
        var message = await receiver.TakeOne();
        await Transaction(End.RollBack, async () =>
        {
            await receiver.Complete(message);
            await client.CreateSender(Short).SendMessageAsync(Text("never"));
            await client.DisposeAsync();
        });
        await using var other = Connect();
        await using var again = other.CreateReceiver(Short);
        var released = await again.TakeOne();
        Expect.Equal("body", "work", Body(released));
        await again.Complete(released);
        Expect.Equal("bodies left", [], await BodiesAt(Short));
    }

    static async Task Refused()
    {
        await LostLock();
        await Elsewhere();
        await TooMany();
    }

    static async Task LostLock()
    {
        await BodiesAt(Short);
        await using var client = Connect();
        await using var sender = client.CreateSender(Short);
        await using var receiver = client.CreateReceiver(Short);
        await client.Send(Short, "let it lapse");
        var message = await receiver.TakeOne();
        await Task.Delay(2_300);
        // The library says no more of a commit that is refused, and has the reason in its inner error.
        var error = await Expect.Failure<TransactionInDoubtException>("commit all the same", () => Transaction(End.Commit, async () =>
        {
            await sender.SendMessageAsync(Text("never"));
            await Expect.Reason("complete after the lock", ServiceBusFailureReason.MessageLockLost, () => receiver.Complete(message));
        }));
        var reason = $"{error.InnerException?.Message}";
        Expect.True($"the reason is told: {reason}", reason.Contains("one of its operations cannot be done"));
        Expect.Equal("bodies left", ["let it lapse"], await BodiesAt(Short));
    }

    static async Task Elsewhere()
    {
        await using var client = Connect();
        await Expect.Failure<InvalidOperationException>("send to two entities", () => Transaction(End.Commit, async () =>
        {
            await client.Send(Plain, "never");
            await client.Send("archive", "never");
        }));
        Expect.Equal("bodies left", [], await BodiesAt(Plain));
        Expect.Equal("bodies left elsewhere", [], await BodiesAt("archive"));
    }

    static async Task TooMany()
    {
        await using var client = Connect();
        await using var sender = client.CreateSender(Plain);
        var messages = Enumerable.Range(0, 101).Select(_ => Text("never"));
        await Expect.Reason("send 101 messages", ServiceBusFailureReason.QuotaExceeded,
            () => Transaction(End.Commit, () => sender.SendMessagesAsync(messages)));
        Expect.Equal("bodies left", [], await BodiesAt(Plain));
    }
}
