"""The administration client, which speaks HTTPS alone."""

import os
from contextlib import suppress
from datetime import datetime, timedelta, timezone

from azure.core.exceptions import HttpResponseError, ResourceExistsError, ResourceNotFoundError
from azure.servicebus import ServiceBusMessage
from azure.servicebus.management import (
    CorrelationRuleFilter,
    FalseRuleFilter,
    ServiceBusAdministrationClient,
    SqlRuleAction,
    SqlRuleFilter,
    TrueRuleFilter,
)

from support import connected, expect, expect_error, new_id, open_receiver, receive

TRUST = {"connection_verify": os.environ["CA_FILE"]}


def administer():
    return ServiceBusAdministrationClient.from_connection_string(os.environ["TLS_CONNECTION_STRING"], **TRUST)


def admin_entities():
    queue, topic, subscription = new_id("queue"), new_id("topic"), new_id("sub")
    with administer() as admin:
        created = admin.create_queue(queue, lock_duration=timedelta(seconds=20), max_delivery_count=7)
        expect("lock duration", created.lock_duration, timedelta(seconds=20))
        expect_error(ResourceExistsError, lambda: admin.create_queue(queue))
        got = admin.get_queue(queue)
        expect("max delivery count", got.max_delivery_count, 7)
        got.max_delivery_count = 9
        got.user_metadata = "changed & <kept>"
        admin.update_queue(got)
        got = admin.get_queue(queue)
        expect("changed", (got.max_delivery_count, got.user_metadata), (9, "changed & <kept>"))
        expect("listed queue", queue in [one.name for one in admin.list_queues()], True)

        admin.create_topic(topic, default_message_time_to_live=timedelta(days=2))
        expect("time to live", admin.get_topic(topic).default_message_time_to_live, timedelta(days=2))
        expect("listed topic", topic in [one.name for one in admin.list_topics()], True)
        admin.create_subscription(topic, subscription, forward_to=queue)
        got = admin.get_subscription(topic, subscription)
        expect("forwards to", got.forward_to.rstrip("/").rsplit("/", 1)[-1], queue)
        got.forward_to = None
        got.dead_lettering_on_message_expiration = True
        admin.update_subscription(topic, got)
        got = admin.get_subscription(topic, subscription)
        expect("changed", (got.forward_to, got.dead_lettering_on_message_expiration), (None, True))
        expect("subscriptions", [one.name for one in admin.list_subscriptions(topic)], [subscription])

        admin.delete_subscription(topic, subscription)
        admin.delete_topic(topic)
        admin.delete_queue(queue)
        for missing in (
            lambda: admin.get_queue(queue),
            lambda: admin.get_topic(topic),
            lambda: admin.get_subscription("events", subscription),
            lambda: admin.delete_queue(queue),
        ):
            expect_error(ResourceNotFoundError, missing)
        expect("kind of namespace", admin.get_namespace_properties().messaging_sku is None, False)


def admin_rules():
    topic, subscription = new_id("topic"), "rules"
    moment = datetime(2024, 5, 6, 7, 8, 9, tzinfo=timezone.utc)
    # A whole number of up to 32 bits is an int, a larger one a long.
    values = {"text": "a", "int": 5, "long": 2**40, "double": 2.5, "yes": True, "time": moment, "span": timedelta(hours=1)}
    with administer() as admin:
        admin.create_topic(topic)
        try:
            admin.create_subscription(topic, subscription)
            expect("first rule", [one.name for one in admin.list_rules(topic, subscription)], ["$Default"])
            sql = SqlRuleFilter("color = @color AND size > 3", {"@color": "red"})
            admin.create_rule(topic, subscription, "sql", filter=sql, action=SqlRuleAction("SET seen = 1"))
            got = admin.get_rule(topic, subscription, "sql")
            expect("sql", (got.filter.sql_expression, got.filter.parameters), (sql.sql_expression, sql.parameters))
            expect("action", got.action.sql_expression, "SET seen = 1")
            match = CorrelationRuleFilter(label="red", message_id="m1", session_id="s1", properties=values)
            admin.create_rule(topic, subscription, "correlation", filter=match)
            got = admin.get_rule(topic, subscription, "correlation").filter
            expect("correlation", (got.label, got.message_id, got.session_id), ("red", "m1", "s1"))
            for name, value in values.items():
                seen = got.properties[name]
                # The library gives a time back without its zone.
                if isinstance(seen, datetime) and seen.tzinfo is None:
                    seen = seen.replace(tzinfo=timezone.utc)
                expect(f"property {name}", seen, value)
            rule = admin.get_rule(topic, subscription, "sql")
            rule.filter = SqlRuleFilter("color = 'blue'")
            admin.update_rule(topic, subscription, rule)
            expect("changed", admin.get_rule(topic, subscription, "sql").filter.sql_expression, "color = 'blue'")
            admin.create_rule(topic, subscription, "all", filter=TrueRuleFilter())
            admin.create_rule(topic, subscription, "none", filter=FalseRuleFilter())
            admin.delete_rule(topic, subscription, "$Default")
            names = sorted(one.name for one in admin.list_rules(topic, subscription))
            expect("rules", names, ["all", "correlation", "none", "sql"])
            wrong = SqlRuleFilter("color = = 3")
            expect_error(HttpResponseError, lambda: admin.create_rule(topic, subscription, "wrong", filter=wrong))
        finally:
            admin.delete_topic(topic)


def admin_counts():
    queue = new_id("counted")
    with administer() as admin, connected() as client:
        admin.create_queue(queue)
        try:
            with client.get_queue_sender(queue) as sender, open_receiver(client, queue) as receiver:
                sender.send_messages([ServiceBusMessage(f"{index}") for index in range(4)])
                due = datetime.now(timezone.utc) + timedelta(hours=1)
                sender.schedule_messages(ServiceBusMessage("later"), due)
                receiver.dead_letter_message(receive(receiver)[0])
                counts = admin.get_queue_runtime_properties(queue)
                seen = (counts.active_message_count, counts.dead_letter_message_count, counts.scheduled_message_count)
                expect("active, dead-lettered, scheduled", seen, (3, 1, 1))
                expect("total", counts.total_message_count, 5)
                expect("size", counts.size_in_bytes > 0, True)
        finally:
            with suppress(ResourceNotFoundError):
                admin.delete_queue(queue)


SCENARIOS = {"admin-entities": admin_entities, "admin-rules": admin_rules, "admin-counts": admin_counts}
