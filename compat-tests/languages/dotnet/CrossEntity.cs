// Transactions over several entities: from the queue that is received from to queues and a topic, as message handlers do.

using Azure.Messaging.ServiceBus;
using static Scenarios.Bus;
using static Scenarios.Transactions;

namespace Scenarios;

static class CrossEntity
{
    static readonly string[] Targets = ["archive", "forever", "events"];

    public static readonly Dictionary<string, Func<Task>> Scenarios = new()
    {
        ["transaction-cross-entity"] = ReceiveAndSend,
        ["transaction-handlers"] = Handlers,
    };

    static ServiceBusClient ConnectAcross() => Connect(new ServiceBusClientOptions { EnableCrossEntityTransactions = true });

    static async Task SendToAll(ServiceBusSender[] senders, string body)
    {
        foreach (var sender in senders) await sender.SendMessageAsync(Text(body));
    }

    static async Task ExpectAtTargets(string what, string[] bodies)
    {
        foreach (var target in Targets)
        {
            var seen = await BodiesAt(target, target == "events" ? "all" : null);
            Expect.Equal($"{what} at {target}", bodies, [.. seen.Order()]);
        }
    }

    static async Task Clear(params string[] queues)
    {
        foreach (var queue in queues) await BodiesAt(queue);
        foreach (var target in Targets) await BodiesAt(target, target == "events" ? "all" : null);
    }

    static async Task ReceiveAndSend()
    {
        await Clear("short");
        await using (var other = Connect()) await other.Send("short", "work");
        await using var client = ConnectAcross();
        await using var receiver = client.CreateReceiver("short");
        ServiceBusSender[] senders = [.. Targets.Select(client.CreateSender)];
        foreach (var end in new[] { End.RollBack, End.Commit })
        {
            var message = await receiver.TakeOne();
            await Transaction(end, async () =>
            {
                await SendToAll(senders, "done");
                await receiver.Complete(message);
            });
            await ExpectAtTargets($"bodies after {end}", end == End.Commit ? ["done"] : []);
        }
        await Expect.Failure<InvalidOperationException>("receive from a second entity",
            () => client.CreateReceiver("archive").ReceiveMessageAsync(Patience));
        Expect.Equal("bodies left", [], await BodiesAt("short"));
    }

    /// <summary>
    /// Each message is handled in a transaction of its own, three at once, as a framework has them: what a handler sends goes out
    /// with the end of its message, or not at all. What fails for the second time goes to an error queue.
    /// </summary>
    static async Task Handlers()
    {
        await Clear(Plain, "short");
        string[] names = [.. Enumerable.Range(0, 6).Select(number => $"work {number}")];
        await using (var other = Connect()) await other.Send(Plain, names);
        bool IsBad(string name) => name.EndsWith('1') || name.EndsWith('4');

        await using var client = ConnectAcross();
        var options = new ServiceBusProcessorOptions { MaxConcurrentCalls = 3, PrefetchCount = 10, AutoCompleteMessages = false };
        await using var processor = client.CreateProcessor(Plain, options);
        ServiceBusSender[] targets = [.. Targets.Select(client.CreateSender)];
        await using var errors = client.CreateSender("short");
        var handled = new Processors.Handled(names.Length);
        processor.ProcessErrorAsync += handled.Fail;
        processor.ProcessMessageAsync += async call =>
        {
            var name = Body(call.Message);
            var isLastAttempt = call.Message.DeliveryCount > 1;
            var end = IsBad(name) && !isLastAttempt ? End.RollBack : End.Commit;
            await Transaction(end, async () =>
            {
                await SendToAll(isLastAttempt ? [errors] : targets, name);
                if (end == End.Commit) await call.CompleteMessageAsync(call.Message);
            });
            if (end == End.Commit) handled.Add(name);
            else await call.AbandonMessageAsync(call.Message);
        };
        await processor.StartProcessingAsync();
        await handled.All();
        await processor.CloseAsync();

        Expect.Equal("errors", [], handled.Errors);
        await ExpectAtTargets("bodies sent", [.. names.Where(name => !IsBad(name))]);
        Expect.Equal<string[]>("bodies in the error queue", [.. names.Where(IsBad)], [.. (await BodiesAt("short")).Order()]);
        Expect.Equal("bodies left", [], await BodiesAt(Plain));
    }
}
