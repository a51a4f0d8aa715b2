package dev.weir.kafka.internal.in.owner;

import dev.weir.kafka.ConsumerDump.Oldest;
import dev.weir.kafka.ConsumerDump.PartitionDump;
import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.buffer.RecordBuffer;
import dev.weir.kafka.internal.in.fetch.Fetched;
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

/** Searches the pipelines for unfinished records on request. Thread-safe. */
final class UnfinishedFinder {

    /**
     * An unfinished record to search for. Created by the owner thread, because only it may read the partition's state.
     */
    record Sought(AssignedPartition partition, RecordBuffer outlet, long token) {

        AckTarget target() {
            return partition.tracker();
        }
    }

    /** Minimum age of a record to search for. Younger records usually finish before the search finds them. */
    private static final Duration MIN_AGE = Duration.ofMillis(100);

    private final Supplier<Collection<StageContext>> readers;

    UnfinishedFinder(Supplier<Collection<StageContext>> readers) {
        this.readers = readers;
    }

    /** Adds the stage and key of a partition's first unfinished record to the partition's dump. */
    PartitionDump found(PartitionDump dump, @Nullable Sought sought) {
        Oldest oldest = dump.oldest();
        if (oldest == null || sought == null) {
            return dump;
        }
        return dump.toBuilder().oldest(found(oldest, sought)).build();
    }

    /** Returns the problems reported by the pipelines' stages, without duplicates. */
    List<String> troubles() {
        return readers.get().stream()
                .flatMap(reader -> reader.troubles().stream())
                .distinct()
                .toList();
    }

    private Oldest found(Oldest oldest, Sought sought) {
        Fetched buffered = sought.outlet.find(sought.partition, sought.token);
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

    /** Returns the hash of the record key; null if the element has no known key. */
    static @Nullable Integer keyHash(@Nullable Object element) {
        Object key = switch (element) {
            case OfRecord known -> known.raw().key();
            case Fetched.OfRecord buffered -> buffered.record().key();
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
