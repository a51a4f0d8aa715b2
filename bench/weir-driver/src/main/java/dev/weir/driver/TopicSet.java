package dev.weir.driver;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Topics that are read together, each with the same number of partitions. All partitions are numbered in sequence:
 * first the partitions of the first topic, then the partitions of the second topic, and so on. The text form consists
 * of the names, separated by commas. Immutable.
 */
public final class TopicSet {
    private static final String SEPARATOR = ",";

    private final List<String> names;
    private final int partitions; // per topic
    private final Map<String, Integer> firsts = new HashMap<>(); // numbers of the first partitions

    private TopicSet(List<String> names, int partitions) {
        this.names = List.copyOf(names);
        this.partitions = partitions;
        for (String name : names) {
            firsts.put(name, firsts.size() * partitions);
        }
    }

    /**
     * Parses a set.
     *
     * @param allPartitions the number of partitions of all topics together
     */
    public static TopicSet of(String text, int allPartitions) {
        List<String> names = names(text);
        return new TopicSet(names, allPartitions / names.size());
    }

    /** Splits the text form of a set into the names of its topics. */
    public static List<String> names(String text) {
        return List.of(text.split(SEPARATOR, -1));
    }

    /** The text form of names. */
    public static String text(List<String> names) {
        return String.join(SEPARATOR, names);
    }

    public List<String> names() {
        return names;
    }

    /** Returns a partition's number within this set, given its topic and its number within the topic. */
    public int number(String topic, int partition) {
        if (names.size() == 1) {
            return partition;
        }
        Integer first = firsts.get(topic);
        if (first == null) {
            throw new IllegalArgumentException("not one of the requested topics: " + topic);
        }
        return first + partition;
    }

    /** Returns the topic of a partition, given the partition's number within this set. */
    public String topic(int number) {
        return names.get(number / partitions);
    }

    /** Returns the partition's number within its topic, given its number within this set. */
    public int partition(int number) {
        return number % partitions;
    }
}
