package dev.weir.bench.cluster;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;

/**
 * The assignment of partitions to a group's members. Immutable.
 *
 * @param ofMembers the partitions of each member
 */
public record Assignment(List<Set<TopicPartition>> ofMembers) {

    static Assignment of(Collection<Set<TopicPartition>> ofMembers) {
        return new Assignment(ofMembers.stream().map(Set::copyOf).toList());
    }

    boolean covers(int partitions) {
        Set<TopicPartition> all = new HashSet<>();
        ofMembers.forEach(all::addAll);
        return all.size() == partitions;
    }

    /** Returns the total number of assigned partitions. Counts a shared partition once for each of its members. */
    int total() {
        return ofMembers.stream().mapToInt(Set::size).sum();
    }

    /** Returns the number of consumers, and their largest and smallest number of partitions, by figure name. */
    public Map<String, Double> figures() {
        Map<String, Double> figures = new TreeMap<>();
        if (!ofMembers.isEmpty()) {
            figures.put("group: consumers", (double) ofMembers.size());
            figures.put("group: most partitions of a consumer", (double)
                    ofMembers.stream().mapToInt(Set::size).max().orElse(0));
            figures.put("group: fewest partitions of a consumer", (double)
                    ofMembers.stream().mapToInt(Set::size).min().orElse(0));
        }
        return figures;
    }
}
