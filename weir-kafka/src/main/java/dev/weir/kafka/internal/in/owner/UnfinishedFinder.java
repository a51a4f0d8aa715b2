package dev.weir.kafka.internal.in.owner;

import dev.weir.kafka.ConsumerDump.Oldest;
import dev.weir.kafka.ConsumerDump.PartitionDump;
import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.buffer.RecordBuffer;
import dev.weir.kafka.spi.OfRecord;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.StageContext;
import dev.weir.stream.spi.Whereabouts;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/** Searches the pipelines for unfinished records on request, which needs no bookkeeping per record. Thread-safe. */
final class UnfinishedFinder {

    /**
     * An unfinished record to search for. The owner thread creates this object, because the searching thread must not
     * read the partition's state.
     */
    record Sought(AssignedPartition partition, RecordBuffer outlet, long token) {

        AckTarget target() {
            return partition.tracker();
        }
    }

    /**
     * Minimum age of a record worth searching for. A younger record would probably finish before the search finds it.
     * This limit also ensures that a healthy pipeline is never searched.
     */
    private static final Duration MIN_AGE = Duration.ofMillis(100);

    private final Supplier<Collection<StageContext>> readers;

    /** Creates a finder that queries the stages of the current pipelines. */
    UnfinishedFinder(Supplier<Collection<StageContext>> readers) {
        this.readers = readers;
    }

    /** Adds the stage and the key of a partition's first unfinished record, {@code sought}, to the partition's dump. */
    PartitionDump found(PartitionDump dump, @Nullable Sought sought) {
        Oldest oldest = dump.oldest();
        if (oldest == null || sought == null) {
            return dump;
        }
        return dump.toBuilder().oldest(found(oldest, sought)).build();
    }

    /**
     * Returns the problems reported by the pipelines' stages. Duplicates are removed, because several pipelines may
     * contain the same stage.
     */
    List<String> troubles() {
        return readers.get().stream()
                .flatMap(reader -> reader.troubles().stream())
                .distinct()
                .toList();
    }

    private Oldest found(Oldest oldest, Sought sought) {
        ConsumerRecord<byte[], byte[]> buffered = sought.outlet.find(sought.partition, sought.token);
        if (buffered != null) {
            return Oldest.of(oldest.offset(), oldest.age(), keyHash(buffered), Oldest.BUFFERED);
        }
        if (oldest.age().compareTo(MIN_AGE) < 0) {
            return oldest;
        }
        for (StageContext reader : readers.get()) {
            Whereabouts found = reader.find(sought.target(), sought.token);
            if (found != null) {
                return Oldest.of(oldest.offset(), oldest.age(), keyHash(found.value()), stage(found));
            }
        }
        return oldest;
    }

    private static String stage(Whereabouts found) {
        String words;
        if (found.value() == null) {
            words = " in ";
        } else {
            words = found.atWork() ? ", at work in " : ", waiting in ";
        }
        return Oldest.IN_FLIGHT + words + found.stage();
    }

    /** Returns the hash of the element's record key; null if the element has no accessible key. */
    static @Nullable Integer keyHash(@Nullable Object element) {
        Object key = switch (element) {
            case OfRecord known -> known.raw().key();
            case ConsumerRecord<?, ?> record -> record.key();
            case null, default -> null;
        };
        return switch (key) {
            case byte[] bytes -> Utils.murmur2(bytes);
            case String text -> Utils.murmur2(text.getBytes(StandardCharsets.UTF_8));
            case null, default -> null;
        };
    }
}
