// Sessions: who holds one, for how long, and the state kept with it.

using Azure.Messaging.ServiceBus;
using static Scenarios.Bus;

namespace Scenarios;

static class Sessions
{
    const string Queue = "sessions";
    /// <summary>Its locks last two seconds.</summary>
    public const string ShortQueue = "short-sessions";

    public static readonly Dictionary<string, Func<Task>> Scenarios = new()
    {
        ["session-accept"] = Accept,
        ["session-state"] = State,
        ["session-lock-renew"] = RenewLock,
        ["session-deferred"] = Deferred,
    };

    /// <summary>Takes what other scenarios left, so that the next session is one's own.</summary>
    public static async Task ClearSessions(this ServiceBusClient client, string queue)
    {
        while (await client.AcceptNext(queue) is { } receiver)
        {
            await receiver.Complete(await receiver.Take(1));
            await receiver.DisposeAsync();
        }
    }

    static async Task<ServiceBusSessionReceiver?> AcceptNext(this ServiceBusClient client, string queue)
    {
        using var limit = new CancellationTokenSource(Patience / 5);
        try
        {
            return await client.AcceptNextSessionAsync(queue, cancellationToken: limit.Token);
        }
        catch (OperationCanceledException)
        {
            return null;
        }
    }

    static async Task Accept()
    {
        await using var client = Connect();
        await client.ClearSessions(Queue);
        var (mine, other) = (NewId("mine"), NewId("other"));
        await client.Send(Queue, Text("one", mine), Text("two", mine), Text("three", other));
        await using var receiver = await client.AcceptSessionAsync(Queue, mine);
        Expect.Equal("session", mine, receiver.SessionId);
        await Expect.Reason("accept what is held", ServiceBusFailureReason.SessionCannotBeLocked,
            () => client.AcceptSessionAsync(Queue, mine));
        var received = await receiver.Take(2);
        Expect.Equal("bodies", ["one", "two"], Bodies(received));
        await using var next = await client.AcceptNextSessionAsync(Queue);
        Expect.Equal("next session", other, next.SessionId);
        await next.Complete(await next.Take(1));
        await receiver.Complete(received);
        var impatient = new ServiceBusClientOptions { RetryOptions = { MaxRetries = 0, TryTimeout = Patience / 5 } };
        await using var another = Connect(impatient);
        await Expect.Reason("accept the next of none", ServiceBusFailureReason.ServiceTimeout,
            () => another.AcceptNextSessionAsync(Queue));
    }

    static async Task State()
    {
        await using var client = Connect();
        var id = NewId("state");
        var state = new byte[] { 1, 0, 0xff };
        await using (var receiver = await client.AcceptSessionAsync(Queue, id))
        {
            Expect.Equal("state at first", null, await receiver.GetSessionStateAsync());
            await receiver.SetSessionStateAsync(new BinaryData(state));
        }
        await using (var receiver = await client.AcceptSessionAsync(Queue, id))
        {
            Expect.Equal("state of the next receiver", state, (await receiver.GetSessionStateAsync()).ToArray());
            await receiver.SetSessionStateAsync(null);
            Expect.Equal("state when cleared", null, await receiver.GetSessionStateAsync());
        }
    }

    static async Task RenewLock()
    {
        await using var client = Connect();
        var id = NewId("renew");
        await client.Send(ShortQueue, Text("slow", id));
        await using var receiver = await client.AcceptSessionAsync(ShortQueue, id);
        var received = await receiver.TakeOne();
        var first = receiver.SessionLockedUntil;
        Expect.True($"the lock ends soon, not at {first}", first < DateTimeOffset.UtcNow.AddSeconds(3));
        await receiver.KeepForTwoLocks();
        Expect.True("the lock is longer", receiver.SessionLockedUntil > first);
        await receiver.Complete(received);
    }

    /// <summary>The library settles such a message only before the end of the lock that stands in it.</summary>
    static async Task Deferred()
    {
        await using var client = Connect();
        var id = NewId("deferred");
        await client.Send(ShortQueue, Text("later", id));
        await using var receiver = await client.AcceptSessionAsync(ShortQueue, id);
        var received = await receiver.TakeOne();
        await receiver.DeferMessageAsync(received);
        var deferred = await receiver.ReceiveDeferredMessageAsync(received.SequenceNumber);
        await receiver.KeepForTwoLocks();
        await receiver.Complete(deferred);
        Expect.Equal("messages left", [], Bodies(await receiver.PeekMessagesAsync(1, fromSequenceNumber: 0)));
    }

    static async Task KeepForTwoLocks(this ServiceBusSessionReceiver receiver)
    {
        for (var round = 0; round < 4; round++)
        {
            await Task.Delay(1_000);
            await receiver.RenewSessionLockAsync();
        }
    }
}
