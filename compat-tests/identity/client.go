// Asks azidentity for a token with each of the given kinds of credentials, and prints it or the error.

package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
)

func credential(kind string) (azcore.TokenCredential, error) {
	switch kind {
	case "default":
		return azidentity.NewDefaultAzureCredential(nil)
	case "environment":
		return azidentity.NewEnvironmentCredential(nil)
	case "secret":
		return azidentity.NewClientSecretCredential(
			os.Getenv("AZURE_TENANT_ID"), os.Getenv("AZURE_CLIENT_ID"), os.Getenv("AZURE_CLIENT_SECRET"), nil)
	default:
		return azidentity.NewWorkloadIdentityCredential(nil)
	}
}

func token(kind string) (string, error) {
	chosen, err := credential(kind)
	if err != nil {
		return "", err
	}
	scopes := policy.TokenRequestOptions{Scopes: []string{"https://servicebus.azure.net/.default"}}
	answer, err := chosen.GetToken(context.Background(), scopes)
	return answer.Token, err
}

func main() {
	for _, kind := range os.Args[1:] {
		if text, err := token(kind); err != nil {
			fmt.Println(kind, "error", strings.Join(strings.Fields(err.Error()), " "))
		} else {
			fmt.Println(kind, "token", text)
		}
	}
}
