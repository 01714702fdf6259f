using System.Diagnostics;
using System.Text;
using Azure.Messaging.ServiceBus;
using Xunit;

/// <summary>One Jitney for all tests of the collection.</summary>
public sealed class Jitney : IDisposable
{
    const string Start = "jitney --memory --port 0 --http-port off --namespaces auto --config Config.json";
    readonly Process process = Process.Start(new ProcessStartInfo("npx", Start)
    {
        RedirectStandardOutput = true,
        RedirectStandardError = true,
    })!;

    public string ConnectionString { get; }

    public Jitney()
    {
        var log = new StringBuilder();
        process.ErrorDataReceived += (_, line) => log.AppendLine(line.Data);
        process.BeginErrorReadLine();
        while (process.StandardOutput.ReadLine() is string line)
        {
            if (!line.StartsWith("Connection ")) continue;
            ConnectionString = line.Split(' ').Last();
            return;
        }
        process.WaitForExit();
        throw new InvalidOperationException($"Jitney has not started: {log}");
    }

    public void Dispose() => process.Kill(entireProcessTree: true);
}

[CollectionDefinition(nameof(Jitney))]
public class JitneyCollection : ICollectionFixture<Jitney>;

/// <summary>A test's client, whose namespace no other test uses: queues, clock and faults are its own.</summary>
[Collection(nameof(Jitney))]
public abstract class JitneyTest(Jitney jitney) : IAsyncLifetime
{
    protected ServiceBusClient Client { get; } = new(jitney.ConnectionString.Replace(
        "RootManageSharedAccessKey", $"RootManageSharedAccessKey@{Guid.NewGuid()}"));

    public Task InitializeAsync() => Task.CompletedTask;
    public async Task DisposeAsync() => await Client.DisposeAsync();
}
