// The clients that a host has by AddAzureClients send, receive and administer.

using Azure.Messaging.ServiceBus;
using Azure.Messaging.ServiceBus.Administration;
using Microsoft.Extensions.Azure;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

var connectionString = Environment.GetEnvironmentVariable("SERVICEBUS_CONNECTION_STRING");
var builder = Host.CreateApplicationBuilder();
builder.Logging.ClearProviders();
builder.Services.AddAzureClients(clients =>
{
    clients.AddServiceBusClient(connectionString);
    clients.AddServiceBusAdministrationClient(connectionString);
});
using var host = builder.Build();

var administration = host.Services.GetRequiredService<ServiceBusAdministrationClient>();
await administration.CreateQueueAsync("hosted");

var client = host.Services.GetRequiredService<ServiceBusClient>();
await client.CreateSender("hosted").SendMessageAsync(new ServiceBusMessage("hello"));
var receiver = client.CreateReceiver("hosted");
var message = await receiver.ReceiveMessageAsync(TimeSpan.FromSeconds(30));
await receiver.CompleteMessageAsync(message);
var left = (await administration.GetQueueRuntimePropertiesAsync("hosted")).Value.ActiveMessageCount;
Console.WriteLine($"{message.Body}, {left} left");
