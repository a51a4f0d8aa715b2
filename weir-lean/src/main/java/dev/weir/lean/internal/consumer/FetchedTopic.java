package dev.weir.lean.internal.consumer;

import dev.weir.lean.StartAt;
import dev.weir.lean.internal.cluster.TopicIdAgreement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/** A topic with its assigned partitions. Confined to one thread. */
final class FetchedTopic {

    final String name;

    /** Its place in the order of topics. */
    final int ordinal;

    /** The topic id, upper half; both halves are 0 until metadata have arrived. */
    long idHigh;

    long idLow;

    final TopicIdAgreement agreement = new TopicIdAgreement();

    /** The last logged reason why it cannot be read; empty if there is none. */
    String trouble = "";

    /** The start position of partitions that were not assigned singly, if the whole topic is read; else null. */
    @Nullable
    StartAt startOfAll;

    /** The number of its partitions at the last check for new ones. */
    int known;

    private @Nullable FetchedPartition[] byNumber = new FetchedPartition[0];
    private int assigned;

    FetchedTopic(String name, int ordinal) {
        this.name = name;
        this.ordinal = ordinal;
    }

    /** An assigned partition; null for any other number. */
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

    /** Takes over the topic id that brokers agree on. */
    void identify() {
        Uuid id = agreement.present();
        idHigh = id.getMostSignificantBits();
        idLow = id.getLeastSignificantBits();
    }

    /** Returns whether nothing of it is read, now or later. */
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

    /** Its partitions without a broker, except faulty ones. */
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
