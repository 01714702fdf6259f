using System.Diagnostics;
using System.Text;
using Azure.Messaging.ServiceBus;
using Xunit;

/// <summary>One Jitney for all tests, which ends with this process.</summary>
public static class Jitney
{
    const string Options = "--memory --port 0 --http-port off --until-stdin-ends --namespaces auto --config Config.json";
    static readonly Process process = new()
    {
        StartInfo = new("npx", $"jitney {Options}")
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        },
    };
    static readonly Lazy<string> connectionString = new(Start);

    public static string ConnectionString => connectionString.Value;

    static string Start()
    {
        var log = new StringBuilder();
        process.ErrorDataReceived += (_, line) => log.AppendLine(line.Data);
        process.Start();
        process.BeginErrorReadLine();
        while (process.StandardOutput.ReadLine() is string line)
        {
            if (line.StartsWith("Connection ")) return line.Split(' ').Last();
        }
        process.WaitForExit();
        throw new InvalidOperationException($"Jitney has not started: {log}");
    }
}

/// <summary>A test's client, whose namespace no other test uses: queues, clock and faults are its own.</summary>
public abstract class JitneyTest : IAsyncLifetime
{
    protected ServiceBusClient Client { get; } = new(Jitney.ConnectionString.Replace(
        "RootManageSharedAccessKey", $"RootManageSharedAccessKey@{Guid.NewGuid()}"));

    public Task InitializeAsync() => Task.CompletedTask;
    public async Task DisposeAsync() => await Client.DisposeAsync();
}
