package main

import (
	"context"
	"net"
	"net/http"
	"os"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/Azure/azure-sdk-for-go/sdk/messaging/azservicebus"
	"github.com/Azure/azure-sdk-for-go/sdk/messaging/azservicebus/admin"
	"github.com/coder/websocket"
)

var accessScenarios = map[string]scenario{
	"tls-amqp":              tlsAMQP,
	"websocket-tls":         websocketTLS,
	"identity-amqp":         identityAMQP,
	"identity-admin":        identityAdmin,
	"strict-sas":            strictSAS,
	"strict-wrong-key":      strictWrongKey,
	"strict-missing-entity": strictMissingEntity,
	"namespaces":            namespaces,
}

const forever = "forever"

func roundTrip(connection connection) {
	defer connection.close()
	body := newID("by another way")
	connection.sendTexts(forever, body)
	receiver := connection.receiver(forever)
	received := receive(receiver, 1)
	expect("body", text(received[0]), body)
	complete(receiver, received...)
}

func tlsAMQP() string {
	options := &azservicebus.ClientOptions{TLSConfig: trust("")}
	roundTrip(connectTo(os.Getenv("TLS_CONNECTION_STRING"), options))
	return ""
}

func websocketTLS() string {
	dial := func(ctx context.Context, args azservicebus.NewWebSocketConnArgs) (net.Conn, error) {
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: trust("")}}
		options := &websocket.DialOptions{Subprotocols: []string{"amqp"}, HTTPClient: client}
		socket, _, err := websocket.Dial(ctx, args.Host, options)
		if err != nil {
			return nil, err
		}
		return websocket.NetConn(background, socket, websocket.MessageBinary), nil
	}
	roundTrip(connectTo(os.Getenv("TLS_CONNECTION_STRING"), &azservicebus.ClientOptions{NewWebSocketConn: dial}))
	return ""
}

// managedIdentity is that of App Service, whose variables the emulator's own `env` prints.
func managedIdentity(prefix string) azcore.TokenCredential {
	endpoint := os.Getenv("IDENTITY_ENDPOINT")
	must(os.Setenv("IDENTITY_ENDPOINT", os.Getenv(prefix+"IDENTITY_ENDPOINT")))
	must(os.Setenv("AZURE_TOKEN_CREDENTIALS", "ManagedIdentityCredential"))
	defer os.Setenv("IDENTITY_ENDPOINT", endpoint)
	return value(azidentity.NewDefaultAzureCredential(nil))
}

func identityAMQP() string {
	for _, prefix := range []string{"", "STRICT_"} {
		options := &azservicebus.ClientOptions{TLSConfig: trust(prefix)}
		host := "localhost:" + os.Getenv(prefix+"PORT")
		roundTrip(connection{value(azservicebus.NewClient(host, managedIdentity(prefix), options))})
	}
	return ""
}

func identityAdmin() string {
	for _, prefix := range []string{"", "STRICT_"} {
		host := "localhost:" + os.Getenv(prefix+"PORT")
		client := value(admin.NewClient(host, managedIdentity(prefix), adminOptions(prefix)))
		expect("queue", value(client.GetQueue(background, forever, nil)).QueueName, forever)
	}
	return ""
}

func strictSAS() string {
	connectionString := os.Getenv("STRICT_CONNECTION_STRING")
	roundTrip(connectTo(connectionString, nil))
	client := value(admin.NewClientFromConnectionString(os.Getenv("STRICT_TLS_CONNECTION_STRING"), adminOptions("STRICT_")))
	expect("queue", value(client.GetQueue(background, forever, nil)).QueueName, forever)
	return ""
}

func strictWrongKey() string {
	wrong := func(variable string) string {
		return strings.Replace(os.Getenv(variable), os.Getenv("STRICT_KEY"), "another key", 1)
	}
	connection := connectTo(wrong("STRICT_CONNECTION_STRING"), nil)
	defer connection.close()
	quickly(func() {
		err := connection.sender(forever).SendMessage(background, &azservicebus.Message{}, nil)
		expectCode("send with a wrong key", azservicebus.CodeUnauthorizedAccess, err)
	})
	client := value(admin.NewClientFromConnectionString(wrong("STRICT_TLS_CONNECTION_STRING"), adminOptions("STRICT_")))
	_, err := client.GetQueue(background, forever, nil)
	expectStatus("get with a wrong key", http.StatusUnauthorized, err)
	return ""
}

// namespaces uses two at once, strict and not, over AMQP and in the administration.
func namespaces() string {
	names := []string{"one", "two"}
	for _, prefix := range []string{"", "STRICT_"} {
		connections, bodies := []connection{}, []string{}
		for _, name := range names {
			connection := connectTo(inNamespace(prefix+"CONNECTION_STRING", name), nil)
			defer connection.close()
			body := newID(name)
			connection.sendTexts("plain", body)
			connections, bodies = append(connections, connection), append(bodies, body)
		}
		for index, connection := range connections {
			receiver := connection.receiver("plain")
			received := receive(receiver, 1)
			expect("body", text(received[0]), bodies[index])
			complete(receiver, received...)
			expectEmpty(receiver)
		}
		queue := newID("only-in-one")
		one := value(admin.NewClientFromConnectionString(inNamespace(prefix+"TLS_CONNECTION_STRING", "one"), adminOptions(prefix)))
		two := value(admin.NewClientFromConnectionString(inNamespace(prefix+"TLS_CONNECTION_STRING", "two"), adminOptions(prefix)))
		value(one.CreateQueue(background, queue, nil))
		found := value(two.GetQueue(background, queue, nil))
		expect("the queue of the other namespace", found == nil, true)
		value(one.DeleteQueue(background, queue, nil))
	}
	return ""
}

func inNamespace(variable, name string) string {
	field := "SharedAccessKeyName=" + os.Getenv("KEY_NAME")
	return strings.Replace(os.Getenv(variable), field, field+"@"+name, 1)
}

func strictMissingEntity() string {
	connection := connectTo(os.Getenv("STRICT_CONNECTION_STRING"), nil)
	defer connection.close()
	quickly(func() {
		err := connection.sender("no-such-queue").SendMessage(background, &azservicebus.Message{}, nil)
		expectCode("send to what is missing", azservicebus.CodeNotFound, err)
	})
	return ""
}
