// The ends of a delivery, its lock, the dead-letter queue, and the errors of the library.

using Azure.Messaging.ServiceBus;
using static Scenarios.Bus;

namespace Scenarios;

static class Settlement
{
    const string Short = "short";

    public static readonly Dictionary<string, Func<Task>> Scenarios = new()
    {
        ["peek-lock-complete"] = PeekLockComplete,
        ["abandon-count"] = AbandonCount,
        ["lock-expiry"] = LockExpiry,
        ["renew-lock"] = RenewLock,
        ["dead-letter"] = DeadLetter,
        ["max-delivery"] = MaxDelivery,
        ["defer"] = Defer,
        ["settle-through-management"] = SettleThroughManagement,
        ["errors"] = Errors,
    };

    static async Task PeekLockComplete()
    {
        await using var client = Connect();
        await client.Drain(Plain);
        await client.Send(Plain, "work");
        await using var receiver = client.CreateReceiver(Plain);
        var received = await receiver.TakeOne();
        await using (var other = client.CreateReceiver(Plain)) await other.ExpectEmpty();
        await receiver.Complete(received);
        await receiver.ExpectEmpty();
    }

    static async Task AbandonCount()
    {
        await using var client = Connect();
        await client.Drain(Plain);
        await client.Send(Plain, "again");
        await using var receiver = client.CreateReceiver(Plain);
        var first = await receiver.TakeOne();
        Expect.Equal("first delivery count", 1, first.DeliveryCount);
        await receiver.AbandonMessageAsync(first, new Dictionary<string, object> { ["tried"] = true });
        var second = await receiver.TakeOne();
        Expect.Equal("second delivery count", 2, second.DeliveryCount);
        Expect.Equal("changed property", true, second.ApplicationProperties["tried"]);
        await receiver.Complete(second);
    }

    static async Task LockExpiry()
    {
        await using var client = Connect();
        await client.Drain(Short);
        await client.Send(Short, "slow");
        await using var receiver = client.CreateReceiver(Short);
        var received = await receiver.TakeOne();
        await Task.Delay(2_300);
        await Expect.Reason("complete", ServiceBusFailureReason.MessageLockLost, () => receiver.Complete(received));
        var again = await receiver.TakeOne();
        Expect.Equal("delivery count", 2, again.DeliveryCount);
        await receiver.Complete(again);
    }

    static async Task RenewLock()
    {
        await using var client = Connect();
        await client.Drain(Short);
        await client.Send(Short, "slow");
        await using var receiver = client.CreateReceiver(Short);
        var received = await receiver.TakeOne();
        var first = received.LockedUntil;
        for (var round = 0; round < 2; round++)
        {
            await Task.Delay(1_200);
            await receiver.RenewMessageLockAsync(received);
        }
        Expect.True("the lock is longer", received.LockedUntil > first);
        await receiver.Complete(received);
        await receiver.ExpectEmpty();
    }

    static async Task DeadLetter()
    {
        await using var client = Connect();
        await client.Drain(Plain);
        await client.Send(Plain, "bad");
        await using var receiver = client.CreateReceiver(Plain);
        var changes = new Dictionary<string, object> { ["seen"] = 1 };
        await receiver.DeadLetterMessageAsync(await receiver.TakeOne(), changes, "broken", "it does not work");
        await using var dead = client.DeadLetters(Plain);
        var received = await dead.TakeOne();
        Expect.Equal("reason", "broken", received.DeadLetterReason);
        Expect.Equal("description", "it does not work", received.DeadLetterErrorDescription);
        Expect.Equal("property", 1, received.ApplicationProperties["seen"]);
        await dead.Complete(received);
        await dead.ExpectEmpty();
    }

    static async Task MaxDelivery()
    {
        await using var client = Connect();
        await client.Drain(Plain);
        await client.Send(Plain, "poison");
        await using var receiver = client.CreateReceiver(Plain);
        for (var count = 1; count <= 3; count++)
        {
            var received = await receiver.TakeOne();
            Expect.Equal("delivery count", count, received.DeliveryCount);
            await receiver.AbandonMessageAsync(received);
        }
        await receiver.ExpectEmpty();
        await using var dead = client.DeadLetters(Plain);
        var letter = await dead.TakeOne();
        Expect.Equal("body", "poison", Body(letter));
        Expect.Equal("reason", "MaxDeliveryCountExceeded", letter.DeadLetterReason);
        await dead.Complete(letter);
    }

    static async Task Defer()
    {
        await using var client = Connect();
        await client.Drain(Plain);
        await client.Send(Plain, "later");
        await using var receiver = client.CreateReceiver(Plain);
        var received = await receiver.TakeOne();
        await receiver.DeferMessageAsync(received);
        await receiver.ExpectEmpty();
        Expect.Equal("state", ServiceBusMessageState.Deferred, (await receiver.PeekMessageAsync()).State);
        var deferred = await receiver.ReceiveDeferredMessageAsync(received.SequenceNumber);
        Expect.Equal("body", "later", Body(deferred));
        Expect.Equal("state when received", ServiceBusMessageState.Deferred, deferred.State);
        await receiver.Complete(deferred);
        await Expect.Reason("receive what is completed", ServiceBusFailureReason.MessageNotFound,
            () => receiver.ReceiveDeferredMessageAsync(received.SequenceNumber));
    }

    static async Task SettleThroughManagement()
    {
        await using var client = Connect();
        await client.Drain(Plain);
        await client.Send(Plain, "complete", "dead-letter", "abandon");
        List<ServiceBusReceivedMessage> received;
        await using (var gone = client.CreateReceiver(Plain)) received = await gone.Take(3);
        await using var receiver = client.CreateReceiver(Plain);
        await receiver.Complete(received[0]);
        await receiver.DeadLetterMessageAsync(received[1], "by token");
        await receiver.AbandonMessageAsync(received[2]);
        var again = await receiver.TakeOne();
        Expect.Equal("abandoned", "abandon", Body(again));
        await receiver.Complete(again);
        await receiver.ExpectEmpty();
        await using var dead = client.DeadLetters(Plain);
        var letter = await dead.TakeOne();
        Expect.Equal("reason", "by token", letter.DeadLetterReason);
        await dead.Complete(letter);
        await Expect.Reason("the same token again", ServiceBusFailureReason.MessageLockLost, () => receiver.Complete(received[0]));
    }

    static async Task Errors()
    {
        await using var client = Connect();
        const ServiceBusFailureReason missing = ServiceBusFailureReason.MessagingEntityNotFound;
        await Expect.Reason("send to a missing queue", missing, () => client.Send("no-such-queue", "lost"));
        await Expect.Reason("receive from a missing queue", missing,
            () => client.CreateReceiver("no-such-queue").ReceiveMessageAsync(Patience));
        await Expect.Reason("receive from a missing subscription", missing,
            () => client.CreateReceiver("events", "none").ReceiveMessageAsync(Patience));
        await Expect.Reason("receive from a topic", missing, () => client.CreateReceiver("events").ReceiveMessageAsync(Patience));
        await Expect.Failure<InvalidOperationException>("receive without a session",
            () => client.CreateReceiver("sessions").ReceiveMessageAsync(Patience));
        await Expect.Failure<InvalidOperationException>("accept where there are no sessions",
            () => client.AcceptSessionAsync(Plain, "s1"));

        const ServiceBusFailureReason large = ServiceBusFailureReason.MessageSizeExceeded;
        await Expect.Reason("send 300 KiB", large, () => client.Send(Plain, new ServiceBusMessage(new byte[300 * 1024])));
        var bytes = new ServiceBusMessage("work") { ApplicationProperties = { ["bytes"] = new byte[] { 1, 2 } } };
        await Expect.Reason("send a property of bytes", large, () => client.Send(Plain, bytes));
    }
}
