package main

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/messaging/azservicebus"
	"github.com/Azure/azure-sdk-for-go/sdk/messaging/azservicebus/admin"
)

var administrationScenarios = map[string]scenario{
	"admin-entities": adminEntities,
	"admin-rules":    adminRules,
	"admin-counts":   adminCounts,
}

// adminOptions lets the library trust the emulator; a refusal is to be seen at once.
func adminOptions(prefix string) *admin.ClientOptions {
	transport := &http.Transport{TLSClientConfig: trust(prefix)}
	return &admin.ClientOptions{ClientOptions: azcore.ClientOptions{
		Transport: &http.Client{Transport: transport},
		Retry:     policy.RetryOptions{MaxRetries: -1},
	}}
}

func administer() *admin.Client {
	return value(admin.NewClientFromConnectionString(os.Getenv("TLS_CONNECTION_STRING"), adminOptions("")))
}

func expectStatus(what string, status int, err error) {
	var failure *azcore.ResponseError
	if !errors.As(err, &failure) || failure.StatusCode != status {
		panic(fmt.Sprintf("%s: expected the status %d, saw %v", what, status, err))
	}
}

func adminEntities() string {
	client := administer()
	queue, topic, subscription := newID("queue"), newID("topic"), "sub"
	created := value(client.CreateQueue(background, queue, &admin.CreateQueueOptions{Properties: &admin.QueueProperties{
		LockDuration: to.Ptr("PT20S"), MaxDeliveryCount: to.Ptr(int32(7)),
	}}))
	expect("lock duration", *created.LockDuration, "PT20S")
	_, err := client.CreateQueue(background, queue, nil)
	expectStatus("create again", http.StatusConflict, err)
	properties := value(client.GetQueue(background, queue, nil)).QueueProperties
	expect("max delivery count", *properties.MaxDeliveryCount, int32(7))
	properties.MaxDeliveryCount = to.Ptr(int32(9))
	properties.UserMetadata = to.Ptr("changed & <kept>")
	value(client.UpdateQueue(background, queue, properties, nil))
	properties = value(client.GetQueue(background, queue, nil)).QueueProperties
	expect("changed count", *properties.MaxDeliveryCount, int32(9))
	expect("changed metadata", *properties.UserMetadata, "changed & <kept>")
	// The names that a list has are lower case; the random part of this one has capitals.
	expect("listed", slices.Contains(listQueues(client), strings.ToLower(queue)), true)

	value(client.CreateTopic(background, topic, &admin.CreateTopicOptions{Properties: &admin.TopicProperties{
		DefaultMessageTimeToLive: to.Ptr("P2D"),
	}}))
	expect("time to live", *value(client.GetTopic(background, topic, nil)).DefaultMessageTimeToLive, "P2D")
	value(client.CreateSubscription(background, topic, subscription, &admin.CreateSubscriptionOptions{
		Properties: &admin.SubscriptionProperties{ForwardTo: to.Ptr("sb://localhost/" + queue)},
	}))
	forwards := *value(client.GetSubscription(background, topic, subscription, nil)).ForwardTo
	expect("forwards to", strings.HasPrefix(forwards, "sb://") && strings.HasSuffix(forwards, "/"+queue), true)
	value(client.DeleteSubscription(background, topic, subscription, nil))
	value(client.DeleteTopic(background, topic, nil))
	value(client.DeleteQueue(background, queue, nil))
	// An entity that is missing is nil here, and no error.
	expect("deleted queue", value(client.GetQueue(background, queue, nil)) == nil, true)
	expect("deleted topic", value(client.GetTopic(background, topic, nil)) == nil, true)
	expect("missing subscription", value(client.GetSubscription(background, "events", "none", nil)) == nil, true)
	_, err = client.DeleteQueue(background, queue, nil)
	expectStatus("delete again", http.StatusNotFound, err)
	expect("namespace without a name", value(client.GetNamespaceProperties(background, nil)).Name == "", false)
	return ""
}

func listQueues(client *admin.Client) []string {
	names := []string{}
	pager := client.NewListQueuesPager(&admin.ListQueuesOptions{MaxPageSize: 3})
	for pager.More() {
		for _, queue := range value(pager.NextPage(background)).Queues {
			names = append(names, queue.QueueName)
		}
	}
	return names
}

func adminRules() string {
	client := administer()
	topic, subscription := newID("topic"), "rules"
	value(client.CreateTopic(background, topic, nil))
	defer client.DeleteTopic(background, topic, nil)
	value(client.CreateSubscription(background, topic, subscription, nil))
	expect("first rule", listRules(client, topic, subscription), []string{"$Default"})

	moment := time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)
	// The library reads an int as an int64, and no long.
	values := map[string]any{"text": "a", "int": int64(5), "double": 2.5, "yes": true, "time": moment}
	rules := []admin.RuleProperties{
		{
			Name:   "sql",
			Filter: &admin.SQLFilter{Expression: "color = @color AND size > @size", Parameters: map[string]any{"@color": "red", "@size": int64(3)}},
			Action: &admin.SQLAction{Expression: "SET seen = @seen", Parameters: map[string]any{"@seen": true}},
		},
		{
			Name: "correlation",
			Filter: &admin.CorrelationFilter{
				Subject: to.Ptr("red"), MessageID: to.Ptr("m1"), SessionID: to.Ptr("s1"), ApplicationProperties: values,
			},
		},
		{Name: "all", Filter: &admin.TrueFilter{}},
		{Name: "none", Filter: &admin.FalseFilter{}},
	}
	for _, rule := range rules {
		value(client.CreateRule(background, topic, subscription, &admin.CreateRuleOptions{
			Name: &rule.Name, Filter: rule.Filter, Action: rule.Action,
		}))
		expect(rule.Name, value(client.GetRule(background, topic, subscription, rule.Name, nil)).RuleProperties, rule)
	}
	changed := admin.RuleProperties{Name: "sql", Filter: &admin.SQLFilter{Expression: "color = 'blue'"}}
	value(client.UpdateRule(background, topic, subscription, changed))
	expect("changed", value(client.GetRule(background, topic, subscription, "sql", nil)).RuleProperties, changed)
	value(client.DeleteRule(background, topic, subscription, "$Default", nil))
	expect("rules", listRules(client, topic, subscription), []string{"all", "correlation", "none", "sql"})
	_, err := client.CreateRule(background, topic, subscription, &admin.CreateRuleOptions{
		Name: to.Ptr("wrong"), Filter: &admin.SQLFilter{Expression: "color = = 3"},
	})
	expectStatus("wrong SQL", http.StatusBadRequest, err)
	return ""
}

func listRules(client *admin.Client, topic, subscription string) []string {
	names := []string{}
	pager := client.NewListRulesPager(topic, subscription, nil)
	for pager.More() {
		for _, rule := range value(pager.NextPage(background)).Rules {
			names = append(names, rule.Name)
		}
	}
	slices.Sort(names)
	return names
}

func adminCounts() string {
	client := administer()
	connection := connect()
	defer connection.close()
	queue := newID("counted")
	value(client.CreateQueue(background, queue, nil))
	defer client.DeleteQueue(background, queue, nil)
	expect("never used", value(client.GetQueueRuntimeProperties(background, queue, nil)).AccessedAt.Year(), 1)
	connection.sendTexts(queue, "one", "two", "three", "four")
	later := []*azservicebus.Message{{Body: []byte("later")}}
	value(connection.sender(queue).ScheduleMessages(background, later, time.Now().Add(time.Hour), nil))
	receiver := connection.receiver(queue)
	must(receiver.DeadLetterMessage(background, receive(receiver, 1)[0], nil))
	counts := value(client.GetQueueRuntimeProperties(background, queue, nil))
	seen := []int32{counts.ActiveMessageCount, counts.DeadLetterMessageCount, counts.ScheduledMessageCount}
	expect("active, dead-lettered, scheduled", seen, []int32{3, 1, 1})
	expect("total", counts.TotalMessageCount, int64(5))
	topic := value(client.GetTopicRuntimeProperties(background, "events", nil))
	expect("subscriptions", topic.SubscriptionCount, int32(3))
	// One of them with the rule $Default, which counts.
	expect("SQL filters", topic.SQLFilterCount, int32(3))
	return ""
}
