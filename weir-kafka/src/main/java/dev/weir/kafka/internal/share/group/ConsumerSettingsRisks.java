package dev.weir.kafka.internal.share.group;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.OnClose;
import dev.weir.kafka.Position;
import dev.weir.kafka.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerConfig;

/** Finds combinations of settings that are valid but seldom intended. Stateless. */
public final class ConsumerSettingsRisks {

    private ConsumerSettingsRisks() {}

    /** Returns one sentence per risky combination. */
    public static List<String> of(ConsumerSettings<?, ?> settings, Subscription subscription) {
        List<String> risks = new ArrayList<>();
        for (String name :
                List.of(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG)) {
            if (settings.properties().containsKey(name)) {
                risks.add(name + " has no effect: give the deserializers to the builder");
            }
        }
        long pollMillis = number(settings, ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, 300_000);
        if (settings.revokeDeadline().compareTo(Duration.ofMillis(pollMillis)) >= 0) {
            risks.add("max.poll.interval.ms=" + pollMillis + " is not more than revokeDeadline="
                    + settings.revokeDeadline()
                    + ": the group would expel a member that waits that long for its handlers, so"
                    + " it waits less");
        }
        long sessionMillis = number(settings, ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, 45_000);
        if (sessionMillis > pollMillis) {
            risks.add("session.timeout.ms=" + sessionMillis + " is more than max.poll.interval.ms=" + pollMillis
                    + ": a member that hangs leaves before one that has died is missed");
        }
        long heartbeatMillis = number(settings, ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, 3_000);
        if (heartbeatMillis * 3 > sessionMillis) {
            risks.add("heartbeat.interval.ms=" + heartbeatMillis + " is more than a third of session.timeout.ms="
                    + sessionMillis + ": one or two lost heartbeats cost the member its partitions");
        }
        long pollRecords = number(settings, ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 0);
        if (pollRecords > settings.maxOutstandingRecords()) {
            risks.add("max.poll.records=" + pollRecords + " is more than maxOutstandingRecords="
                    + settings.maxOutstandingRecords()
                    + ": a poll is taken whole, so up to the sum of both are unfinished"
                    + " in a partition");
        }
        boolean member = settings.groupId() != null && !(subscription.selection() instanceof Subscription.Partitions);
        if (settings.onClose() == OnClose.REMAIN
                && member
                && !settings.properties().containsKey(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG)) {
            risks.add("onClose=REMAIN without group.instance.id: the next start is another member. On the classic"
                    + " protocol no member reads the partitions of the one that ended until session.timeout.ms is"
                    + " over; with group.protocol=consumer Kafka's client leaves anyway");
        }
        if (settings.onClose() != OnClose.DEFAULT && !member) {
            risks.add("onClose=" + settings.onClose() + " has no effect: this consumer is not a member of a group");
        }
        if (subscription.selection() instanceof Subscription.Matching
                && subscription.start().isNone()
                && settings.startWithoutCommit() == Position.end()) {
            risks.add("auto.offset.reset=latest with a pattern: what is written to a new topic while no member runs is"
                    + " not read; earliest reads it");
        }
        return List.copyOf(risks);
    }

    /** Returns the property as a number, or the default if it is not one. Kafka's client refuses such a value. */
    private static long number(ConsumerSettings<?, ?> settings, String name, long otherwise) {
        try {
            return Long.parseLong(settings.properties()
                    .getOrDefault(name, Long.toString(otherwise))
                    .strip());
        } catch (NumberFormatException e) {
            return otherwise;
        }
    }
}
