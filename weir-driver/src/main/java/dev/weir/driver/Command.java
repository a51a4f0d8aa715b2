package dev.weir.driver;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.Map;
import java.util.TreeMap;

/**
 * A command of the harness to a driver, one JSON object per line on its standard input. Immutable.
 *
 * <pre>
 * harness                driver
 *         <- hello               once, when the process is up
 * configure ->                   before the first pass, and before another one that is to be different
 * start ->                       for each pass
 *         <- ready               of who sends by a plan that can change, or is a network: it is connected
 *         <- first               when the first record is delivered
 *         <- interval ...        while it delivers
 * change ->                      at any time of a pass
 * end ->                         at any time of a pass: the driver closes down, as if time were up
 *         <- delivered           where PassOptions.TELLS asks for it
 *         <- passed              or failed, which ends the process
 * clock ->                       at any time
 *         <- clock               at once
 * set-clock ->                   at any time, where they do not share a clock
 * stop ->                        or the end of the stream, which ends the process at any time
 * </pre>
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "do")
@JsonSubTypes({
    @JsonSubTypes.Type(value = Command.Configure.class, name = "configure"),
    @JsonSubTypes.Type(value = Command.Start.class, name = "start"),
    @JsonSubTypes.Type(value = Command.Change.class, name = "change"),
    @JsonSubTypes.Type(value = Command.End.class, name = "end"),
    @JsonSubTypes.Type(value = Command.Clock.class, name = "clock"),
    @JsonSubTypes.Type(value = Command.SetClock.class, name = "set-clock"),
    @JsonSubTypes.Type(value = Command.Stop.class, name = "stop")
})
public sealed interface Command {

    /**
     * Sets what holds for the passes of a process from now on.
     *
     * @param connection properties that every Kafka client needs to reach these brokers; secrets among them: they
     *     travel here, on no command line and in no log
     * @param topic to read from, or to write to; several as {@link TopicSet} writes them
     * @param partitions of all topics together
     * @param recordsPerPartition how many records each partition holds, numbered from 0
     * @param client properties of Kafka clients that the workload sets, over the driver's own
     * @param options what the scenario needs, such as {@code work.millis}
     * @param intervalMillis how often figures are reported
     */
    record Configure(
            String bootstrapServers,
            Map<String, String> connection,
            String topic,
            int partitions,
            long recordsPerPartition,
            int valueBytes,
            Scenario scenario,
            Map<String, String> client,
            Map<String, String> options,
            int intervalMillis)
            implements Command {

        /** The same, as a library is without the workload's settings of clients: with its own. */
        Configure withOwnDefaults() {
            Map<String, String> rest = new TreeMap<>(options);
            rest.remove(PassOptions.IN_FLIGHT);
            return new Configure(
                    bootstrapServers,
                    connection,
                    topic,
                    partitions,
                    recordsPerPartition,
                    valueBytes,
                    scenario,
                    Map.of(),
                    rest,
                    intervalMillis);
        }

        /** Describes the command without values of the connection. */
        @Override
        public String toString() {
            return scenario.label() + " of " + topic + " at " + bootstrapServers;
        }
    }

    /**
     * One pass: from the beginning of the topic until so many records or seconds, whichever comes first.
     *
     * @param group new to the brokers, which know no more of a share group than its settings; or one whose members
     *     come and go
     * @param output where {@link Scenario#COPY} writes, new as well; empty in all others
     */
    record Start(String group, long records, double seconds, String output) implements Command {

        /** Start that writes to no topic of its own. */
        public Start(String group, long records, double seconds) {
            this(group, records, seconds, "");
        }
    }

    /**
     * Changes the pass under way, or the one that was started last, from now on.
     *
     * @param options {@link HandlerWork#MILLIS}, or {@link SendPlan#RATE} with {@link SendPlan#AT}, or those of a
     *     {@link NetworkFault}
     */
    record Change(Map<String, String> options) implements Command {}

    /** The end of the pass that was started last, if it is not over: its members leave their group. */
    record End() implements Command {}

    /**
     * Asks what the clock of the process says: {@link Report.Clock} follows at once.
     *
     * @param askedNanos when, by the clock of the harness
     */
    record Clock(long askedNanos) implements Command {}

    /**
     * Sets how far the clocks are apart, from now on.
     *
     * @param offsetNanos the harness's clock less the process's
     */
    record SetClock(long offsetNanos) implements Command {}

    /** The end. */
    record Stop() implements Command {}
}
