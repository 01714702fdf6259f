// Asks Azure.Identity for a token with each of the given kinds of credentials, and prints it or the error.

using Azure.Core;
using Azure.Identity;

TokenCredential Make(string kind) => kind switch
{
    "default" => new DefaultAzureCredential(),
    "environment" => new EnvironmentCredential(),
    "secret" => new ClientSecretCredential(
        Environment.GetEnvironmentVariable("AZURE_TENANT_ID"),
        Environment.GetEnvironmentVariable("AZURE_CLIENT_ID"),
        Environment.GetEnvironmentVariable("AZURE_CLIENT_SECRET")),
    _ => new WorkloadIdentityCredential(),
};

var request = new TokenRequestContext(["https://servicebus.azure.net/.default"]);
foreach (var kind in args)
{
    try
    {
        var token = await Make(kind).GetTokenAsync(request, default);
        Console.WriteLine($"{kind} token {token.Token}");
    }
    catch (Exception error)
    {
        var words = error.Message.Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries);
        Console.WriteLine($"{kind} error {error.GetType().Name} {string.Join(' ', words)}");
    }
}
