package dev.weir.lean.internal.consumer;

import dev.weir.lean.StartAt;
import dev.weir.lean.internal.cluster.TopicIdAgreement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/** A topic and its assigned partitions. Confined to one thread. */
final class FetchedTopic {

    final String name;

    /** The topic's sort key, assigned in the order in which topics were added. */
    final int ordinal;

    /** Upper half of the topic id. Both halves are 0 until the id is known. */
    long idHigh;

    long idLow;

    final TopicIdAgreement agreement = new TopicIdAgreement();

    /** The last logged reason why the topic cannot be read; empty if the topic can be read. */
    String trouble = "";

    /** Start position for newly found partitions if the whole topic is assigned; otherwise null. */
    @Nullable
    StartAt startOfAll;

    /** Number of partitions when partitions were last added. */
    int known;

    private @Nullable FetchedPartition[] byNumber = new FetchedPartition[0];
    private int assigned;

    FetchedTopic(String name, int ordinal) {
        this.name = name;
        this.ordinal = ordinal;
    }

    /** The assigned partition with the given number; null if it is not assigned. */
    @Nullable
    FetchedPartition partition(int number) {
        return number >= 0 && number < byNumber.length ? byNumber[number] : null;
    }

    void set(int number, @Nullable FetchedPartition partition) {
        if (number >= byNumber.length) {
            byNumber = Arrays.copyOf(byNumber, number + 1);
        }
        assigned += (partition == null ? 0 : 1) - (byNumber[number] == null ? 0 : 1);
        byNumber[number] = partition;
    }

    void identify() {
        Uuid id = agreement.present();
        idHigh = id.getMostSignificantBits();
        idLow = id.getLeastSignificantBits();
    }

    /** Returns whether the topic has no assigned partitions and is not assigned as a whole. */
    boolean isEmpty() {
        return assigned == 0 && startOfAll == null;
    }

    void forEach(Consumer<FetchedPartition> action) {
        for (FetchedPartition partition : byNumber) {
            if (partition != null) {
                action.accept(partition);
            }
        }
    }

    /** Partitions whose leader is unknown, except faulty partitions. */
    List<FetchedPartition> unlocated() {
        List<FetchedPartition> all = new ArrayList<>();
        forEach(partition -> {
            if (partition.state == FetchedPartition.LOCATING) {
                all.add(partition);
            }
        });
        return all;
    }
}
