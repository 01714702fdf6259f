using Azure.Messaging.ServiceBus;

await using var client = new ServiceBusClient(Environment.GetEnvironmentVariable("SERVICEBUS_CONNECTION_STRING"));
var shop = new Shop(client);
await shop.PlaceOrders(new Order(1, true), new Order(2, false), new Order(null, true));
await shop.ProcessOrders(3);
await shop.MendOrder(3);
await shop.ProcessOrders(1);
foreach (var line in await shop.ReadEvents("audit", 3)) Console.WriteLine($"audit: {line}");
foreach (var line in await shop.ReadEvents("mail", 2)) Console.WriteLine($"mail: {line}");
await shop.SendSteps(new("anna", "registers"), new("ben", "registers"), new("anna", "orders"), new("anna", "pays"));
foreach (var step in await shop.ServeCustomer("anna", 3)) Console.WriteLine($"anna {step}");
foreach (var step in await shop.ServeCustomer("ben", 1)) Console.WriteLine($"ben {step}");
