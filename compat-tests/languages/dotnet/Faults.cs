// The faults of the table: what the library reports of each, and how often it tries.

using System.Collections.Concurrent;
using System.Net.Http.Json;
using System.Text.Json.Nodes;
using Azure.Core;
using Azure.Messaging.ServiceBus;
using Azure.Messaging.ServiceBus.Administration;
using static Scenarios.Bus;

namespace Scenarios;

static class Faults
{
    static readonly TimeSpan Soon = TimeSpan.FromMilliseconds(1);
    static readonly HttpClient Http = new();

    public static readonly Dictionary<string, Func<Task>> Scenarios = new() { ["faults"] = AllFaults };

    static async Task AllFaults()
    {
        var folder = Setting("FAULTS");
        var cases = JsonNode.Parse(await File.ReadAllTextAsync(Path.Combine(folder, "cases.json")))!.AsArray();
        var seen = new ConcurrentDictionary<string, JsonNode>();
        // Each with a queue of its own, and more at once than in other languages: the library waits ten seconds when a server is busy.
        await Parallel.ForEachAsync(cases, new ParallelOptions { MaxDegreeOfParallelism = 8 }, async (one, _) =>
            seen[(string)one!["id"]!] = await RowOf((string)one["operation"]!, one["fault"]!.DeepClone()));
        if (Environment.GetEnvironmentVariable("FAULTS_SEEN") is { } file)
        {
            await File.WriteAllTextAsync(file, new JsonObject(seen!).ToJsonString());
            return;
        }
        var expected = JsonNode.Parse(await File.ReadAllTextAsync(Path.Combine(folder, "expected.json")))!["dotnet"];
        var wrong = seen.Where(row => !JsonNode.DeepEquals(row.Value, expected?[row.Key]))
            .Select(row => $"{row.Key}: expected {expected?[row.Key]?.ToJsonString()}, saw {row.Value.ToJsonString()}");
        Expect.Equal("rows that are wrong", [], wrong.ToArray());
    }

    static async Task<JsonNode> RowOf(string operation, JsonNode fault)
    {
        var queue = NewId("faults");
        await Administration.Client().CreateQueueAsync(new CreateQueueOptions(queue) { RequiresSession = operation == "session-state" });
        fault["entity"] = queue;
        var id = (int)(await Control("faults", fault))["id"]!;
        var outcome = await OutcomeOf(() => Operate(operation, queue));
        var faults = (await Control("faults"))["faults"]!.AsArray();
        var attempts = faults.Single(one => (int)one!["id"]! == id)!["matchedCount"]!;
        await Control("faults:remove", new JsonObject { ["id"] = id });
        return new JsonObject { ["outcome"] = outcome, ["attempts"] = (int)attempts };
    }

    /// <summary>The emulator's interface for people and tools.</summary>
    static async Task<JsonNode> Control(string name, JsonNode? body = null)
    {
        var address = $"http://{Setting("HOST")}:{Setting("PORT")}/$jitney/v1/{name}";
        using var response = body is null ? await Http.GetAsync(address) : await Http.PostAsJsonAsync(address, body);
        return JsonNode.Parse(await response.Content.ReadAsStringAsync())!;
    }

    /// <summary>Names an error by the library's own reason, or by its type.</summary>
    static async Task<string> OutcomeOf(Func<Task> act)
    {
        try
        {
            await act();
            return "succeeds";
        }
        catch (ServiceBusException error)
        {
            return $"ServiceBusException {error.Reason}";
        }
        catch (Exception error)
        {
            return error.GetType().Name;
        }
    }

    static async Task Operate(string operation, string queue)
    {
        await using var client = Connect(new ServiceBusClientOptions
        {
            RetryOptions = { MaxRetries = 2, Delay = Soon, MaxDelay = 5 * Soon, TryTimeout = TimeSpan.FromSeconds(2) },
        });
        await using var sender = client.CreateSender(queue);
        await using var receiver = client.CreateReceiver(queue);
        switch (operation)
        {
            case "send":
                await sender.SendMessageAsync(Text("x"));
                break;
            case "receive" or "complete" or "renew-lock":
                await sender.SendMessageAsync(Text("x"));
                var message = await receiver.ReceiveMessageAsync(TimeSpan.FromSeconds(1)) ?? throw new TimeoutException();
                if (operation == "complete") await receiver.CompleteMessageAsync(message);
                if (operation == "renew-lock") await receiver.RenewMessageLockAsync(message);
                break;
            case "peek":
                await receiver.PeekMessageAsync();
                break;
            case "schedule":
                await sender.ScheduleMessageAsync(Text("x"), DateTimeOffset.UtcNow.AddHours(1));
                break;
            case "session-state":
                await using (var session = await client.AcceptSessionAsync(queue, "a")) await session.GetSessionStateAsync();
                break;
            case "administration":
                var options = new ServiceBusAdministrationClientOptions
                {
                    Retry = { MaxRetries = 2, Mode = RetryMode.Fixed, Delay = Soon },
                };
                await new ServiceBusAdministrationClient(Setting("TLS_CONNECTION_STRING"), options).GetQueueAsync(queue);
                break;
            default:
                throw new NotSupportedException(operation);
        }
    }
}
