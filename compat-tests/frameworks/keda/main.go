// Makes the calls of KEDA's scaler with its SDK's version: counts of a queue and of a subscription, each by name and in a list.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/Azure/azure-sdk-for-go/sdk/messaging/azservicebus/admin"
)

func main() {
	ctx := context.Background()
	client, err := admin.NewClientFromConnectionString(os.Getenv("SERVICEBUS_CONNECTION_STRING"), nil)
	check(err)
	queue, err := client.GetQueueRuntimeProperties(ctx, "counted", nil)
	check(err)
	subscription, err := client.GetSubscriptionRuntimeProperties(ctx, "events", "counted", nil)
	check(err)
	var listed [2]int32
	for pager := client.NewListQueuesRuntimePropertiesPager(nil); pager.More(); {
		page, err := pager.NextPage(ctx)
		check(err)
		for _, one := range page.QueueRuntimeProperties {
			if one.QueueName == "counted" {
				listed[0] = one.ActiveMessageCount
			}
		}
	}
	for pager := client.NewListSubscriptionsRuntimePropertiesPager("events", nil); pager.More(); {
		page, err := pager.NextPage(ctx)
		check(err)
		for _, one := range page.SubscriptionRuntimeProperties {
			if one.SubscriptionName == "counted" {
				listed[1] = one.ActiveMessageCount
			}
		}
	}
	fmt.Println(queue.ActiveMessageCount, subscription.ActiveMessageCount, listed)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
