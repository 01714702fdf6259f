using System.Diagnostics;
using Azure.Messaging.ServiceBus;
using Xunit;
using Xunit.Abstractions;

/// <summary>One Jitney for all tests: that of `jitney exec`, or one that ends with this process.</summary>
public static class Jitney
{
    const string Options = "--memory --port 0 --http-port off --until-stdin-ends --namespaces auto --log-level debug --config";
    const int LinesKept = 1000;
    static readonly Queue<string> log = new();
    static readonly Process process = new();
    static readonly Lazy<string> connectionString = new(() =>
        Environment.GetEnvironmentVariable("SERVICEBUS_CONNECTION_STRING") is string running
            && running.Contains("UseDevelopmentEmulator=true") // a namespace of Azure is left alone
                ? running : Start());

    public static string ConnectionString => connectionString.Value;

    /// <summary>Those of the last lines of the Jitney started here that begin with this, such as `[name of a namespace]`.</summary>
    public static string Log(string beginning = "")
    {
        lock (log) return string.Join('\n', log.Where(line => line.StartsWith(beginning)));
    }

    static string Start()
    {
        process.StartInfo = new("npx", ["jitney", .. Options.Split(' '), FindConfig()])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        process.ErrorDataReceived += (_, line) => Keep(line.Data);
        process.Start();
        process.BeginErrorReadLine();
        while (process.StandardOutput.ReadLine() is string line)
        {
            if (line.StartsWith("Connection ")) return line.Split(' ').Last();
        }
        process.WaitForExit();
        throw new InvalidOperationException($"Jitney has not started: {Log()}");
    }

    /// <summary>The tests run in bin/Debug/net10.0, so the file is in a folder above.</summary>
    static string FindConfig()
    {
        var folder = AppContext.BaseDirectory;
        while (folder is not null && !File.Exists(Path.Combine(folder, "Config.json")))
        {
            folder = Path.GetDirectoryName(folder);
        }
        return Path.Combine(folder ?? "", "Config.json");
    }

    static void Keep(string? line)
    {
        if (line is null) return;
        lock (log)
        {
            log.Enqueue(line);
            if (log.Count > LinesKept) log.Dequeue();
        }
    }
}

/// <summary>A test with a namespace that no other test uses: queues, clock and faults are its own.</summary>
public abstract class JitneyTest(ITestOutputHelper output) : IAsyncLifetime
{
    readonly Guid name = Guid.NewGuid();

    protected string ConnectionString => Jitney.ConnectionString.Replace(
        "RootManageSharedAccessKey", $"RootManageSharedAccessKey@{name}");

    protected ServiceBusClient Client { get; private set; } = null!;

    public Task InitializeAsync()
    {
        Client = new(ConnectionString);
        return Task.CompletedTask;
    }

    /// <summary>xUnit shows the output of a test that fails.</summary>
    public async Task DisposeAsync()
    {
        await Client.DisposeAsync();
        output.WriteLine(Jitney.Log($"[{name}]"));
    }
}
