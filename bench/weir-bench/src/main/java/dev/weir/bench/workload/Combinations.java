package dev.weir.bench.workload;

import dev.weir.driver.Failures;
import dev.weir.driver.HandlerOrder;
import dev.weir.driver.PassOptions;
import dev.weir.driver.Scenario;
import dev.weir.driver.ShareOptions;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** Checks that the individually valid settings of a point are compatible. Stateless. */
final class Combinations {
    /** The settings required for a generator to send to a group at a planned rate, as text for messages. */
    static final String SENT_TO = "scenario to work, at-least-once, at-most-once or copy, and topic.recordsPerSecond";

    private static final int MAX_PLANNED_PARTITIONS = 100;

    // Scenarios that read a topic filled in advance by the harness.
    private static final Set<Scenario> FILLED = Set.of(
            Scenario.CONSUME,
            Scenario.AT_LEAST_ONCE,
            Scenario.AT_MOST_ONCE,
            Scenario.WORK,
            Scenario.FLOW_CONTROL,
            Scenario.COPY);

    // Scenarios in which drivers can read several topics.
    private static final Set<Scenario> OF_TOPICS =
            Set.of(Scenario.CONSUME, Scenario.STEADY, Scenario.AT_LEAST_ONCE, Scenario.AT_MOST_ONCE, Scenario.WORK);

    private Combinations() {}

    /**
     * Refuses a point whose settings contradict each other or do not apply to its scenario.
     *
     * @throws WorkloadException if the point is refused; the message names the keys and says what to change
     */
    static void check(WorkloadPoint point) {
        if (point.topics() > 1 && !OF_TOPICS.contains(point.scenario())) {
            throw new WorkloadException(
                    "scenario " + point.scenario().label() + " has one topic: leave topics out, or use"
                            + " scenario consume, steady, at-least-once, at-most-once or work: topics="
                            + point.topics());
        }
        if (point.ordering() == HandlerOrder.KEY && point.keys() == 0) {
            throw new WorkloadException(
                    "options.ordering=key needs records with keys: set topic.keys, for example 10000");
        }
        if (point.keys() > 0 && point.keys() < point.partitions()) {
            throw new WorkloadException("topic.keys must be at least topic.partitions, since each key belongs to one:"
                    + " topic.keys=" + point.keys() + " " + partitions(point));
        }
        if (point.isPlanned() != (point.recordsPerSecond() > 0)) {
            throw new WorkloadException("scenario " + point.scenario().label()
                    + (point.isPlanned()
                            ? " needs a rate: set topic.recordsPerSecond, for example 5000"
                            : " goes as fast as it can: leave topic.recordsPerSecond out, or use scenario steady,"
                                    + " produce, work, at-least-once, at-most-once or copy"));
        }
        if (!point.isPlanned() && point.isSet("load")) {
            throw new WorkloadException("topic.load needs a planned rate: set topic.recordsPerSecond");
        }
        if (point.isChangeable()) {
            ExploreSettings.checkSent(point, "topic.recordsPerSecond has");
        }
        checkReplicas(point);
        checkSpread(point);
        checkLive(point);
        checkTransactions(point);
        Copying.check(point);
        ProducerWindow.check(point);
        if (point.failures() > 0 && point.scenario() != Scenario.WORK) {
            throw new WorkloadException(
                    "options." + Failures.SHARE + " applies only to scenario work, whose handlers may fail");
        }
        checkValues(point);
        checkShareGroup(point);
        if (point.isPlanned()) {
            requireTimedPartitions(point);
        }
    }

    /** Refuses a point with more partitions than the harness can record latencies for. */
    static void requireTimedPartitions(WorkloadPoint point) {
        if (point.partitions() > MAX_PLANNED_PARTITIONS) {
            throw new WorkloadException("with a planned rate, topic.partitions must be at most "
                    + MAX_PLANNED_PARTITIONS + ", since latencies are taken for each: " + partitions(point));
        }
    }

    private static String partitions(WorkloadPoint point) {
        return "topic.partitions=" + point.partitionsOfTopic()
                + (point.topics() == 1 ? "" : " topics=" + point.topics());
    }

    private static void checkReplicas(WorkloadPoint point) {
        if (point.replicas() > point.brokers()) {
            throw new WorkloadException("topic.replicas must be at most brokers: topic.replicas=" + point.replicas()
                    + " brokers=" + point.brokers());
        }
        if (point.usesProxy() && !point.isChangeable()) {
            throw new WorkloadException(
                    "method.proxy applies only to groups with a generator: set " + SENT_TO + ", or leave it out");
        }
        if (point.hasDiskFaults() && !point.isChangeable()) {
            throw new WorkloadException(
                    "method.diskFaults applies only to groups with a generator: set " + SENT_TO + ", or leave it out");
        }
    }

    private static void checkSpread(WorkloadPoint point) {
        for (String key : List.of("topic.partitionSkew", "topic.producers", Key.CONSUMERS, Key.GROUPS)) {
            if (!point.isChangeable()
                    && !point.text(key)
                            .equals(Objects.requireNonNull(Key.ALL.get(key)).fallback())) {
                throw new WorkloadException(key + " applies only to groups with a generator: set " + SENT_TO
                        + ", or leave it out: " + key + "=" + point.text(key));
            }
        }
        if (point.groups() > 1 && point.copiesByPlan()) {
            throw new WorkloadException(
                    "scenario copy has one group, whose output is read: leave groups out: groups=" + point.groups());
        }
        if (!point.isPlanned() && !point.section("producer.").isEmpty()) {
            throw new WorkloadException(
                    "producer applies only to planned rates: set topic.recordsPerSecond, or leave it out");
        }
        if (point.producers() > point.partitions()) {
            throw new WorkloadException(
                    "topic.producers must be at most topic.partitions, since each has some to itself:"
                            + " topic.producers=" + point.producers() + " " + partitions(point));
        }
        if (point.consumers() > 0 && point.consumers() < point.members()) {
            throw new WorkloadException(
                    "consumers must be at least explore.members, since each process has one: consumers="
                            + point.consumers() + " explore.members=" + point.members());
        }
        if (point.consumers() > 0 && point.integer("options." + ShareOptions.CONSUMERS) > 0) {
            throw new WorkloadException(
                    "consumers and options." + ShareOptions.CONSUMERS + " both set their number: leave one out");
        }
    }

    private static void checkLive(WorkloadPoint point) {
        if (Boolean.parseBoolean(point.text("method.live")) && point.scenario() != Scenario.STEADY) {
            throw new WorkloadException("method.live applies only to scenario steady: leave it out; "
                    + (point.isChangeable()
                            ? "runs of " + point.scenario().label() + " can be changed without it"
                            : "no run of " + point.scenario().label() + " can be changed"));
        }
        if (point.isLive() && point.isSet("load")) {
            throw new WorkloadException("method.live changes one rate by hand: leave topic.load out");
        }
    }

    private static void checkTransactions(WorkloadPoint point) {
        if (point.transactionRecords() > 0 && !FILLED.contains(point.scenario())) {
            throw new WorkloadException("scenario " + point.scenario().label()
                    + " does not read from a topic that is filled before: leave topic.transactionRecords out");
        }
        if (point.abortedShare() > 0 && point.transactionRecords() == 0) {
            throw new WorkloadException(
                    "topic.abortedShare is a share of transactions: set topic.transactionRecords, for example 1000");
        }
        if (point.abortedShare() > 0 && !"read_committed".equals(point.client().get("isolation.level"))) {
            throw new WorkloadException("with topic.abortedShare, drivers would deliver what was aborted:"
                    + " set client.isolation.level: read_committed");
        }
        if (point.isPlanned() && point.producesInTransactions()) {
            throw new WorkloadException(
                    "options." + PassOptions.TRANSACTION_RECORDS
                            + " does not go with topic.recordsPerSecond, since a record waits for its transaction: leave one out");
        }
        if (point.scenario() != Scenario.PRODUCE && point.integer("options." + PassOptions.TRANSACTION_RECORDS) > 0) {
            throw new WorkloadException("options." + PassOptions.TRANSACTION_RECORDS
                    + " applies only to scenario produce;" + " topic.transactionRecords fills a topic in transactions");
        }
    }

    private static void checkShareGroup(WorkloadPoint point) {
        String consumers = "options." + ShareOptions.CONSUMERS;
        String workers = "options." + PassOptions.CONCURRENCY;
        var unused = point.shareGroup(); // Refuses duplicate settings.
        if (point.integer(consumers) > point.integer(workers)) {
            throw new WorkloadException(consumers + " must be at most " + workers + ", since each has a worker: "
                    + consumers + "=" + point.integer(consumers) + " " + workers + "=" + point.integer(workers));
        }
        if (point.isPlanned() && point.seconds("settleSeconds") > 0) {
            throw new WorkloadException(
                    "method.settleSeconds does not go with topic.recordsPerSecond, whose one pass has"
                            + " its warm-up: leave one out");
        }
    }

    private static void checkValues(WorkloadPoint point) {
        boolean filled = FILLED.contains(point.scenario());
        for (String key : List.of("valueSpread", "valueRandom", "valueSizes", "valueFile", "headers")) {
            if (!filled && point.isSet(key)) {
                throw new WorkloadException("scenario " + point.scenario().label()
                        + " does not read from a topic that is filled before: leave topic." + key + " out");
            }
        }
        refuseBoth(point, "valueSizes", "valueSpread");
        refuseBoth(point, "valueFile", "valueSizes");
        refuseBoth(point, "valueFile", "valueSpread");
        refuseBoth(point, "valueFile", "valueRandom");
    }

    private static void refuseBoth(WorkloadPoint point, String one, String other) {
        if (point.isSet(one) && point.isSet(other)) {
            throw new WorkloadException("topic." + one + " and topic." + other
                    + " both define the values: leave one out: topic." + one + "=" + point.text("topic." + one)
                    + " topic."
                    + other + "=" + point.text("topic." + other));
        }
    }
}
