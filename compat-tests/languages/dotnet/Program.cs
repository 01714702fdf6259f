// Runs the scenarios named as arguments with Azure.Messaging.ServiceBus, and prints one line of JSON for each.

using System.Text.Json;
using Scenarios;

// Less than what the runner waits, so that the program itself tells the reason.
var limit = TimeSpan.FromSeconds(55);
var scenarios = new[]
{
    Messages.Scenarios, Settlement.Scenarios, Sessions.Scenarios, Topics.Scenarios, Processors.Scenarios,
    Transactions.Scenarios, CrossEntity.Scenarios, Administration.Scenarios, Created.Scenarios, Access.Scenarios,
    Faults.Scenarios, Restart.Scenarios, Tour.Scenarios,
}.SelectMany(some => some).ToDictionary();

foreach (var id in args)
{
    var problem = await Try(id);
    object answer = problem is null ? new { scenario = id, ok = true } : new { scenario = id, ok = false, detail = problem };
    Console.WriteLine(JsonSerializer.Serialize(answer));
}

async Task<string?> Try(string id)
{
    if (!scenarios.TryGetValue(id, out var run)) return "the program does not know this scenario";
    try
    {
        await Task.Run(run).WaitAsync(limit);
        return null;
    }
    catch (Exception problem)
    {
        Console.Error.WriteLine($"{id}: {problem}");
        return problem.Message;
    }
}
