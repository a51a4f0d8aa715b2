package dev.weir.checks.integration;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.OutOfRangePolicy;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * A reader of a log that loses records, by truncation or by deletion of its topic. Immutable.
 *
 * @param protocol {@code classic} or {@code consumer}
 * @param state the state of the group while the log changes
 */
record LostLogCase(String protocol, FetchPath path, OutOfRangePolicy policy, GroupState state) {

    /** The state of a group's members while the log changes. */
    enum GroupState {
        RUNNING,
        /** Frozen by SIGSTOP. */
        FROZEN,
        /** Drained before the change, and restarted after it. */
        STOPPED
    }

    /** Parses a case from four words of a command line: {@code "consumer lean NEAREST STOPPED"}. */
    static LostLogCase of(String words) {
        String[] word = words.split(" ", -1);
        return new LostLogCase(
                word[0],
                FetchPath.valueOf(word[1].toUpperCase(Locale.ROOT)),
                OutOfRangePolicy.valueOf(word[2]),
                GroupState.valueOf(word[3]));
    }

    /** Returns each combination of both protocols, both paths and all policies. */
    static List<LostLogCase> all(GroupState... states) {
        return Stream.of("classic", "consumer")
                .flatMap(protocol -> Stream.of(FetchPath.values())
                        .flatMap(path -> Stream.of(OutOfRangePolicy.values())
                                .flatMap(policy -> Arrays.stream(states)
                                        .map(state -> new LostLogCase(protocol, path, policy, state)))))
                .toList();
    }

    ConsumerSettings<byte[], byte[]> settings(String bootstrapServers, String group) {
        ConsumerSettings.Builder<byte[], byte[]> settings = ConsumerSettings.builder()
                .bootstrapServers(bootstrapServers)
                .groupId(group)
                .fetch(path)
                .outOfRange(policy)
                .connectTimeout(Duration.ofMinutes(2))
                .property("auto.offset.reset", "earliest")
                .commitInterval(Duration.ofMillis(200));
        return settings.property("group.protocol", protocol).build();
    }

    /** Returns the case as four words, which can be part of a group's name. */
    @Override
    public String toString() {
        return protocol + "-" + path.name().toLowerCase(Locale.ROOT) + "-" + policy + "-" + state;
    }
}
