package dev.weir.driver;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.Map;
import java.util.TreeMap;

/**
 * A command from the harness to a driver, sent as one JSON object per line on the driver's standard input. Immutable.
 *
 * <pre>
 * harness                driver
 *         <- hello               once, when the process is up
 * configure ->                   before the first pass, and before a pass with other settings
 * start ->                       for each pass
 *         <- ready               from a sender with a changeable plan, or from a network, when connected
 *         <- first               when the first record is delivered
 *         <- interval ...        while it delivers
 * change ->                      at any time of a pass
 * end ->                         at any time of a pass: the driver closes as if time were up
 *         <- delivered           if PassOptions.TELLS is set
 *         <- passed              or failed, which ends the process
 * clock ->                       at any time
 *         <- clock               immediately
 * set-clock ->                   at any time, if harness and driver use different clocks
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
     * Configures the following passes of a process.
     *
     * @param connection properties that every Kafka client needs to reach these brokers. They include secrets, so they
     *     appear on no command line and in no log.
     * @param topic the topic to read or to write, or several topics in the text form of a {@link TopicSet}
     * @param partitions number of partitions of all topics together
     * @param recordsPerPartition number of records in each partition, numbered from 0
     * @param client Kafka client properties from the workload, which override the driver's properties
     * @param options options of the scenario, such as {@code work.millis}
     * @param intervalMillis time between two {@link Report.Interval}s
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

        /** Returns a copy without the workload's client settings, so that the library uses its own. */
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

        /** Describes the command without the values of the connection properties. */
        @Override
        public String toString() {
            return scenario.label() + " of " + topic + " at " + bootstrapServers;
        }
    }

    /**
     * Starts a pass. The pass reads from the beginning of the topic and ends after {@code records} records or after
     * {@code seconds} seconds, whichever comes first.
     *
     * @param group the name of a new group. If members join or leave during the pass, it is the name of the group that
     *     all members share.
     * @param output the new output topic of {@link Scenario#COPY}; empty for other scenarios
     */
    record Start(String group, long records, double seconds, String output) implements Command {

        /** Starts a pass without an output topic. */
        public Start(String group, long records, double seconds) {
            this(group, records, seconds, "");
        }
    }

    /**
     * Changes options of the pass that was started last.
     *
     * @param options {@link HandlerWork#MILLIS}; or {@link SendPlan#RATE} with {@link SendPlan#AT}; or the options of a
     *     {@link NetworkFault}
     */
    record Change(Map<String, String> options) implements Command {}

    /** Ends the pass that was started last, if it is not over. The members of the pass leave their group. */
    record End() implements Command {}

    /**
     * Requests the time on the process's clock. The process answers immediately with {@link Report.Clock}.
     *
     * @param askedNanos the time of the request, on the harness's clock
     */
    record Clock(long askedNanos) implements Command {}

    /**
     * Sets the offset between the clocks from now on.
     *
     * @param offsetNanos the harness's clock minus the process's clock
     */
    record SetClock(long offsetNanos) implements Command {}

    /** Ends the process. */
    record Stop() implements Command {}
}
