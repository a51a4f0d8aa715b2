package dev.weir.lean.internal.consumer;

import dev.weir.lean.StartAt;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/** A topic with the assigned ones of its partitions. Confined to one thread. */
final class Topic {

    final String name;

    /** Its place in the order of topics. */
    final int ordinal;

    /** Of its id; both 0 until metadata has told. */
    long idHigh;

    long idLow;

    /** Those it had before. */
    private final Set<Uuid> formerIds = new HashSet<>();

    /** What kept it from being read when that was last said in the log; empty if nothing did. */
    String trouble = "";

    /** Where partitions start that no one has named, if all of the topic is read; else null. */
    @Nullable
    StartAt startOfAll;

    /** How many partitions it had when it was last looked for more of them. */
    int known;

    private @Nullable Partition[] byNumber = new Partition[0];
    private int assigned;

    Topic(String name, int ordinal) {
        this.name = name;
        this.ordinal = ordinal;
    }

    /** An assigned partition; null for any other number. */
    @Nullable
    Partition partition(int number) {
        return number >= 0 && number < byNumber.length ? byNumber[number] : null;
    }

    void set(int number, @Nullable Partition partition) {
        if (number >= byNumber.length) {
            byNumber = Arrays.copyOf(byNumber, number + 1);
        }
        assigned += (partition == null ? 0 : 1) - (byNumber[number] == null ? 0 : 1);
        byNumber[number] = partition;
    }

    boolean isIdentified() {
        return (idHigh | idLow) != 0;
    }

    /** Metadata name another id. */
    void identify(long high, long low) {
        if (isIdentified() && (high | low) != 0) {
            formerIds.add(new Uuid(idHigh, idLow));
        }
        idHigh = high;
        idLow = low;
    }

    /** Whether that is the id of a topic which had its name before: no topic gets an id that another one had. */
    boolean had(Uuid id) {
        return formerIds.contains(id);
    }

    /** Whether nothing of it is read, now or later. */
    boolean isEmpty() {
        return assigned == 0 && startOfAll == null;
    }

    void forEach(Consumer<Partition> action) {
        for (Partition partition : byNumber) {
            if (partition != null) {
                action.accept(partition);
            }
        }
    }

    /** Those of its partitions that have no broker and do not rest. */
    List<Partition> unlocated() {
        List<Partition> all = new ArrayList<>();
        forEach(partition -> {
            if (partition.state == Partition.LOCATING) {
                all.add(partition);
            }
        });
        return all;
    }
}
