package dev.weir.lean;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lean.internal.batch.Batches;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;

/** A log of three batches with ten records each. {@link FakeBroker}s serve it without fetch sessions. */
final class FakeLog {

    static final int PER_BATCH = 10;
    static final int END = 3 * PER_BATCH;
    private static final Duration LONGEST = Duration.ofSeconds(50);

    /** The batches. A test may damage them. */
    final List<ByteBuffer> batches = List.of(batch(0), batch(1), batch(2));

    /** The number of fetches received. */
    final AtomicInteger fetches = new AtomicInteger();

    private static ByteBuffer batch(int number) {
        return Batches.batch(CompressionType.NONE, (long) number * PER_BATCH, Batches.records(number, PER_BATCH, 50));
    }

    /** Returns the batch with the requested offset and all later batches. */
    FetchResponseData serve(FetchRequestData request) {
        return serve(request, batches.size());
    }

    /** Returns at most the given number of batches, from the requested offset on. */
    FetchResponseData serve(FetchRequestData request, int most) {
        fetches.incrementAndGet();
        if (request.topics().isEmpty()) {
            return new FetchResponseData();
        }
        return answer(of(request.topics().getFirst().partitions().getFirst(), most));
    }

    /** Returns a response for all requested partitions. */
    FetchResponseData serveAll(FetchRequestData request) {
        return new FetchResponseData()
                .setResponses(request.topics().stream()
                        .map(topic -> new FetchableTopicResponse()
                                .setTopicId(topic.topicId())
                                .setPartitions(topic.partitions().stream()
                                        .map(wanted -> of(wanted, batches.size()))
                                        .toList()))
                        .toList());
    }

    private PartitionData of(FetchPartition wanted, int most) {
        int first = (int) Math.min(wanted.fetchOffset() / PER_BATCH, batches.size());
        int end = Math.min(first + most, batches.size());
        ByteBuffer rest = Batches.joined(batches.subList(first, end).toArray(new ByteBuffer[0]));
        return new PartitionData()
                .setPartitionIndex(wanted.partition())
                .setHighWatermark(END)
                .setRecords(MemoryRecords.readableRecords(rest));
    }

    static FetchResponseData failing(Errors error) {
        return answer(new PartitionData().setErrorCode(error.code()).setRecords(MemoryRecords.EMPTY));
    }

    static FetchResponseData answer(PartitionData partition) {
        return new FetchResponseData()
                .setResponses(List.of(new FetchableTopicResponse()
                        .setTopicId(FakeBroker.TOPIC_ID)
                        .setPartitions(List.of(partition))));
    }

    /** Polls until the condition holds. Waits briefly after each poll that did nothing. */
    static void pollUntil(LeanConsumer consumer, RecordHandler handler, BooleanSupplier done) {
        long deadline = System.nanoTime() + LONGEST.toNanos();
        while (!done.getAsBoolean()) {
            if (consumer.poll(handler) == 0) {
                consumer.await(Duration.ofMillis(10));
            }
            assertThat(System.nanoTime()).as(consumer.metrics().toString()).isLessThan(deadline);
        }
    }
}
