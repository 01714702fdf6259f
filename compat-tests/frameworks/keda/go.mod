module jitney/keda

go 1.24.0

require github.com/Azure/azure-sdk-for-go/sdk/messaging/azservicebus v1.10.0
