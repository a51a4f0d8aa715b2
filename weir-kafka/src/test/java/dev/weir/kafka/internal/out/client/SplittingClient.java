package dev.weir.kafka.internal.out.client;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.serialization.StringSerializer;

/** A client that reports the number of batch splits that a test sets. */
public class SplittingClient extends MockProducer<String, String> {

    /** Number of splits. */
    public double splits;

    /** Creates a client without any splits. */
    public SplittingClient() {
        super(false, null, new StringSerializer(), new StringSerializer());
    }

    /** Creates a check that reports a client as stuck after {@code seconds}. It finds no fault with the brokers. */
    public static ClientProgress stuckAfter(int seconds) {
        return new ClientProgress(TimeUnit.SECONDS.toNanos(seconds), topics -> "");
    }

    @Override
    public final Map<MetricName, Metric> metrics() {
        MetricName name = new MetricName("batch-split-total", "producer-metrics", "", Map.of());
        return Map.of(name, new Metric() {
            @Override
            public MetricName metricName() {
                return name;
            }

            @Override
            public Object metricValue() {
                return splits;
            }
        });
    }
}
