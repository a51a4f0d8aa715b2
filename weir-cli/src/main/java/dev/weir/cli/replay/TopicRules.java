package dev.weir.cli.replay;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The topics that a replay may write to. A dead-letter record names its own target: without these rules, anyone with
 * access to the dead-letter topic could write wherever the operator can. Immutable.
 *
 * @param to the topic that receives all records, or null to send each record to the topic that it names
 * @param allowed topic names; a name that ends with {@code *} allows all topics with that prefix
 * @param excluded names of the same form, which take precedence over {@code allowed}
 */
record TopicRules(@Nullable String to, List<String> allowed, List<String> excluded) {

    private static final String ANY = "*";

    /** Kafka's internal topics. Brokers report internal topics too, but not every broker knows all of them. */
    private static final Set<String> INTERNAL = Set.of(
            "__consumer_offsets",
            "__transaction_state",
            "__share_group_state",
            "__cluster_metadata",
            "__remote_log_metadata");

    /** Creates rules. A topic selected by a {@code topic} filter is allowed too. */
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

    /** Returns whether no topic is allowed, so that no record can be sent. */
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
