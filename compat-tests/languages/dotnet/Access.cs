// Ways in: TLS, WebSockets, tokens of a managed identity, and keys under strict authorization.

using Azure.Core;
using Azure.Core.Pipeline;
using Azure.Identity;
using Azure.Messaging.ServiceBus;
using Azure.Messaging.ServiceBus.Administration;
using static Scenarios.Bus;

namespace Scenarios;

static class Access
{
    public static readonly Dictionary<string, Func<Task>> Scenarios = new()
    {
        ["tls-amqp"] = () => OverTls(ServiceBusTransportType.AmqpTcp, "TLS_PORT"),
        ["websocket"] = () => RoundTrip(Connect(new() { TransportType = ServiceBusTransportType.AmqpWebSockets })),
        ["websocket-tls"] = () => OverTls(ServiceBusTransportType.AmqpWebSockets, "HTTPS_PORT"),
        ["identity-amqp"] = IdentityAmqp,
        ["identity-admin"] = IdentityAdmin,
        ["strict-sas"] = StrictSas,
        ["strict-wrong-key"] = StrictWrongKey,
        ["strict-missing-entity"] = StrictMissingEntity,
        ["namespaces"] = Namespaces,
    };

    static Uri Endpoint(string port) => new($"sb://localhost:{port}");

    /// <summary>The library takes a port from a custom endpoint alone: without one, it dials 5671 or 443.</summary>
    static async Task OverTls(ServiceBusTransportType transport, string defaultPort)
    {
        var connectionString = Setting("TLS_CONNECTION_STRING");
        var options = new ServiceBusClientOptions { TransportType = transport, CustomEndpointAddress = Endpoint(Setting("PORT")) };
        await RoundTrip(new ServiceBusClient(connectionString, options));
        if (Environment.GetEnvironmentVariable(defaultPort) is null) return;
        await RoundTrip(new ServiceBusClient(connectionString, new ServiceBusClientOptions { TransportType = transport }));
    }

    static async Task RoundTrip(ServiceBusClient client)
    {
        await using var _ = client;
        var body = NewId("by another way");
        await client.Send("forever", body);
        await using var receiver = client.CreateReceiver("forever");
        var received = await receiver.TakeOne();
        Expect.Equal("body", body, Body(received));
        await receiver.Complete(received);
        // The request node has a token of its own.
        Expect.Equal("peeked", [], Bodies(await receiver.PeekMessagesAsync(1, fromSequenceNumber: 0)));
    }

    /// <summary>That of App Service, whose variables the emulator's own `env` prints, among all that the library tries.</summary>
    static async Task AsIdentity(Func<TokenCredential, string, Task> act)
    {
        var endpoint = Setting("IDENTITY_ENDPOINT");
        foreach (var prefix in new[] { "", "STRICT_" })
        {
            Environment.SetEnvironmentVariable("IDENTITY_ENDPOINT", Setting($"{prefix}IDENTITY_ENDPOINT"));
            await act(new DefaultAzureCredential(), Setting($"{prefix}PORT"));
        }
        Environment.SetEnvironmentVariable("IDENTITY_ENDPOINT", endpoint);
    }

    static Task IdentityAmqp() => AsIdentity((credential, port) => RoundTrip(
        new ServiceBusClient("localhost", credential, new() { CustomEndpointAddress = Endpoint(port) })));

    static Task IdentityAdmin() => AsIdentity(async (credential, port) =>
    {
        var options = new ServiceBusAdministrationClientOptions();
        options.AddPolicy(new ToPort(int.Parse(port)), HttpPipelinePosition.PerCall);
        QueueProperties queue = await new ServiceBusAdministrationClient("localhost", credential, options).GetQueueAsync("forever");
        Expect.Equal("queue", "forever", queue.Name);
    });

    /// <summary>With a credential, the administration client dials 443, whatever it is told.</summary>
    sealed class ToPort(int port) : HttpPipelineSynchronousPolicy
    {
        public override void OnSendingRequest(HttpMessage message) => message.Request.Uri.Port = port;
    }

    static async Task StrictSas()
    {
        await RoundTrip(new ServiceBusClient(Setting("STRICT_CONNECTION_STRING")));
        QueueProperties queue = await new ServiceBusAdministrationClient(Setting("STRICT_TLS_CONNECTION_STRING")).GetQueueAsync("forever");
        Expect.Equal("queue", "forever", queue.Name);
    }

    static async Task StrictWrongKey()
    {
        string Wrong(string variable) => Setting(variable).Replace(Setting("STRICT_KEY"), "another key");
        // Without this, the library tries four times, and takes eleven seconds.
        var once = new ServiceBusClientOptions { RetryOptions = { MaxRetries = 0 } };
        await using var client = new ServiceBusClient(Wrong("STRICT_CONNECTION_STRING"), once);
        await Expect.RefusedAtOnce<UnauthorizedAccessException>("send with a wrong key", () => client.Send("forever", "never"));
        var administration = new ServiceBusAdministrationClient(Wrong("STRICT_TLS_CONNECTION_STRING"));
        await Expect.Failure<UnauthorizedAccessException>("get with a wrong key", () => administration.GetQueueAsync("forever"));
    }

    /// <summary>Two at once, strict and not, over AMQP and in the administration.</summary>
    static async Task Namespaces()
    {
        foreach (var prefix in new[] { "", "STRICT_" })
        {
            await using var one = new ServiceBusClient(InNamespace($"{prefix}CONNECTION_STRING", "one"));
            await using var two = new ServiceBusClient(InNamespace($"{prefix}CONNECTION_STRING", "two"));
            var clients = new[] { (one, NewId("one")), (two, NewId("two")) };
            foreach (var (client, body) in clients) await client.Send(Plain, body);
            foreach (var (client, body) in clients)
            {
                await using var receiver = client.CreateReceiver(Plain);
                var received = await receiver.TakeOne();
                Expect.Equal("body", body, Body(received));
                await receiver.Complete(received);
                await receiver.ExpectEmpty();
            }
            var queue = NewId("only-in-one");
            var administration = new ServiceBusAdministrationClient(InNamespace($"{prefix}TLS_CONNECTION_STRING", "one"));
            await administration.CreateQueueAsync(queue);
            var other = new ServiceBusAdministrationClient(InNamespace($"{prefix}TLS_CONNECTION_STRING", "two"));
            Expect.Equal("the queue of the other namespace", false, (bool)await other.QueueExistsAsync(queue));
            await administration.DeleteQueueAsync(queue);
        }
    }

    static string InNamespace(string variable, string name)
    {
        var field = $"SharedAccessKeyName={Setting("KEY_NAME")}";
        return Setting(variable).Replace(field, $"{field}@{name}");
    }

    static async Task StrictMissingEntity()
    {
        await using var client = new ServiceBusClient(Setting("STRICT_CONNECTION_STRING"));
        await Expect.Reason("send to what is missing", ServiceBusFailureReason.MessagingEntityNotFound,
            () => client.Send("no-such-queue", "never"));
    }
}
