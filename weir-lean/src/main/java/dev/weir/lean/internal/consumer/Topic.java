package dev.weir.lean.internal.consumer;

import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A topic with the assigned ones of its partitions. Confined to one thread. */
final class Topic {

    final String name;

    /** Its place in the order of topics. */
    final int ordinal;

    /** Of its id; both 0 until metadata has told. */
    long idHigh;

    long idLow;
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

    boolean isEmpty() {
        return assigned == 0;
    }

    void forEach(Consumer<Partition> action) {
        for (Partition partition : byNumber) {
            if (partition != null) {
                action.accept(partition);
            }
        }
    }

    /** Whether each of its partitions has a broker, or rests. */
    boolean isLocated() {
        for (Partition partition : byNumber) {
            if (partition != null && partition.state == Partition.LOCATING) {
                return false;
            }
        }
        return true;
    }
}
