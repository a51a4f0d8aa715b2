package dev.weir.cli.replay;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The topics that a replay may write to. A dead-letter record names its own target, so whoever can write to the
 * dead-letter topic would otherwise write wherever the operator may. Immutable.
 *
 * @param to the one target of all records, or null for the topic that each names
 * @param allowed names; one that ends with {@code *} allows every topic that begins like it
 * @param excluded names of the same form; they win
 */
record TopicRules(@Nullable String to, List<String> allowed, List<String> excluded) {

    private static final String ANY = "*";

    /** Kafka's own topics. Brokers name internal topics too, but not every broker knows all of them. */
    private static final Set<String> INTERNAL = Set.of(
            "__consumer_offsets",
            "__transaction_state",
            "__share_group_state",
            "__cluster_metadata",
            "__remote_log_metadata");

    /** Adds the topics that filters name: a user who selects one topic has named it. */
    static TopicRules of(@Nullable String to, List<String> allowed, List<String> excluded, List<ReplayFilter> filters) {
        List<String> all = new ArrayList<>(allowed);
        filters.stream()
                .filter(filter -> filter.name().equals("topic"))
                .map(ReplayFilter::text)
                .forEach(all::add);
        return new TopicRules(to, List.copyOf(all), List.copyOf(excluded));
    }

    static boolean isInternal(String topic) {
        return INTERNAL.contains(topic);
    }

    boolean isAllowed(String topic) {
        return matches(allowed, topic);
    }

    boolean isExcluded(String topic) {
        return matches(excluded, topic);
    }

    /** Returns true if no option names a topic to write to, so that nothing can be sent. */
    boolean allowsNothing() {
        return to == null && allowed.isEmpty();
    }

    private static boolean matches(List<String> names, String topic) {
        return names.stream()
                .anyMatch(name -> name.endsWith(ANY)
                        ? topic.startsWith(name.substring(0, name.length() - ANY.length()))
                        : topic.equals(name));
    }
}
