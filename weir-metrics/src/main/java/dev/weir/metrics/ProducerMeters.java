package dev.weir.metrics;

import static dev.weir.metrics.MeterSpec.counter;
import static dev.weir.metrics.MeterSpec.gauge;

import dev.weir.kafka.ProducerHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** The meters of a producing stage, including the latency of acknowledgements. Stateless. */
final class ProducerMeters {

    private static final double NANOS = 1e9;
    private static final double MILLIS = 1e3;

    private static final long[] BOUNDS_MILLIS = {
        1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 300_000, 3_600_000
    };

    private static final String BUCKET_TAG = "le";

    static final List<MeterSpec<Look>> PRODUCER = producer();

    /** A reading of a producer. */
    record Look(ProducerHandle.Snapshot now, ProducerHandle.Latency latency, List<Long> upTo) {

        static Look at(ProducerHandle handle) {
            List<Long> upTo = new ArrayList<>();
            for (long count : handle.latencyCounts(BOUNDS_MILLIS)) {
                upTo.add(count);
            }
            return new Look(handle.snapshot(), handle.latency(), List.copyOf(upTo));
        }
    }

    private ProducerMeters() {}

    private static List<MeterSpec<Look>> producer() {
        List<MeterSpec<Look>> meters = new ArrayList<>(List.of(
                gauge(
                        "weir.producer.inflight.records",
                        "records",
                        "Records sent but not yet answered by a broker.",
                        look -> look.now.unanswered()),
                gauge(
                        "weir.producer.buffer.bytes",
                        "bytes",
                        "Size of the client's buffer; no value if the client does not report it.",
                        look -> look.now.bufferBytes()),
                gauge(
                        "weir.producer.buffer.free.bytes",
                        "bytes",
                        "Free part of the client's buffer; no value if the client does not report it.",
                        look -> look.now.bufferFreeBytes()),
                counter(
                        "weir.producer.blocked.seconds",
                        "seconds",
                        "Time that the stage waited for room in the client's buffer.",
                        look -> look.now.blockedNanos() / NANOS),
                counter(
                        "weir.producer.throttled.seconds",
                        "seconds",
                        "Time for which brokers throttled the producer because of a quota, summed over their answers.",
                        look -> look.now.throttledNanos() / NANOS),
                gauge(
                        "weir.producer.queue.seconds",
                        "seconds",
                        "The mean time that a batch waits before it is sent, as measured by the client; no value before the first batch.",
                        look -> look.now.queueMillis() / MILLIS),
                gauge(
                        "weir.producer.request.seconds",
                        "seconds",
                        "The mean time that a request waits for its answer, as measured by the client; no value before the first answer.",
                        look -> look.now.requestMillis() / MILLIS),
                gauge(
                        "weir.latency.max.seconds",
                        "seconds",
                        "The longest time so far from a record's timestamp to its acknowledgement.",
                        look -> look.latency.max() / MILLIS)));
        for (int i = 0; i < BOUNDS_MILLIS.length; i++) {
            int place = i;
            meters.add(bucket(Double.toString(BOUNDS_MILLIS[i] / MILLIS), look -> look.upTo.get(place)));
        }
        meters.add(bucket("+Inf", look -> look.latency.count()));
        return List.copyOf(meters);
    }

    private static MeterSpec<Look> bucket(String bound, ToDoubleFunction<Look> count) {
        return MeterSpec.<Look>counter(
                        "weir.latency.records",
                        "records",
                        "Records acknowledged within `le` seconds of their timestamps, as a cumulative histogram.",
                        count)
                .tagged(BUCKET_TAG, bound);
    }
}
