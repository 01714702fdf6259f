// Processors, which call a handler for each message and settle and renew for it.

using System.Collections.Concurrent;
using Azure.Messaging.ServiceBus;
using static Scenarios.Bus;

namespace Scenarios;

static class Processors
{
    /// <summary>More than two locks of the queues here.</summary>
    static readonly TimeSpan Slowly = TimeSpan.FromSeconds(4.5);

    public static readonly Dictionary<string, Func<Task>> Scenarios = new()
    {
        ["processor"] = Processor,
        ["session-processor"] = SessionProcessor,
    };

    static async Task Processor()
    {
        await using var client = Connect();
        await client.Drain("short");
        await client.Send("short", "slow", "fails once", "quick");
        await using var processor = client.CreateProcessor("short", new ServiceBusProcessorOptions { MaxConcurrentCalls = 2 });
        var handled = new Handled(3);
        processor.ProcessMessageAsync += async call =>
        {
            var (body, count) = (Body(call.Message), call.Message.DeliveryCount);
            if (body == "slow") await Task.Delay(Slowly);
            if (body == "fails once" && count == 1) throw new FormatException("not this time");
            handled.Add($"{body}, {count}");
        };
        processor.ProcessErrorAsync += handled.Fail;
        await processor.StartProcessingAsync();
        await handled.All();
        await processor.CloseAsync();
        Expect.Equal("handled", ["fails once, 2", "quick, 1", "slow, 1"], handled.Sorted);
        Expect.Equal("errors", ["ProcessMessageCallback: not this time"], handled.Errors);
        await using var receiver = client.CreateReceiver("short");
        await receiver.ExpectEmpty();
    }

    static async Task SessionProcessor()
    {
        await using var client = Connect();
        await client.ClearSessions(Sessions.ShortQueue);
        string[] sessions = ["a", "b", "c"];
        foreach (var id in sessions) await client.Send(Sessions.ShortQueue, Text("slow", id), Text("quick", id));
        var options = new ServiceBusSessionProcessorOptions
        {
            MaxConcurrentSessions = 2, SessionIdleTimeout = TimeSpan.FromSeconds(1),
        };
        await using var processor = client.CreateSessionProcessor(Sessions.ShortQueue, options);
        var handled = new Handled(6);
        processor.ProcessMessageAsync += async call =>
        {
            var before = (await call.GetSessionStateAsync())?.ToString();
            if (Body(call.Message) == "slow") await Task.Delay(Slowly);
            await call.SetSessionStateAsync(new BinaryData(Body(call.Message)));
            handled.Add($"{call.SessionId}: {Body(call.Message)} after {before ?? "nothing"}, {call.Message.DeliveryCount}");
        };
        processor.ProcessErrorAsync += handled.Fail;
        await processor.StartProcessingAsync();
        await handled.All();
        await processor.CloseAsync();
        Expect.Equal("errors", [], handled.Errors);
        Expect.Equal("handled",
            [.. sessions.SelectMany(id => new[] { $"{id}: quick after slow, 1", $"{id}: slow after nothing, 1" })], handled.Sorted);
        foreach (var id in sessions)
        {
            await using var receiver = await client.AcceptSessionAsync(Sessions.ShortQueue, id);
            await receiver.SetSessionStateAsync(null);
            await receiver.ExpectEmpty();
        }
    }

    /// <summary>What handlers have done, and when it is so many.</summary>
    public sealed class Handled(int count)
    {
        readonly ConcurrentBag<string> names = [];
        readonly ConcurrentQueue<string> errors = [];
        readonly CountdownEvent left = new(count);

        public string[] Sorted => [.. names.Order(StringComparer.Ordinal)];
        public string[] Errors => [.. errors];

        public void Add(string name)
        {
            names.Add(name);
            if (!left.IsSet) left.Signal();
        }

        public Task Fail(ProcessErrorEventArgs error)
        {
            errors.Enqueue($"{error.ErrorSource}: {error.Exception.Message}");
            return Task.CompletedTask;
        }

        public async Task All()
        {
            var isDone = await Task.Run(() => left.Wait(TimeSpan.FromSeconds(30)));
            Expect.True($"all {count} are handled, not only [{string.Join("; ", Sorted)}]; errors: [{string.Join("; ", Errors)}]", isDone);
        }
    }
}
