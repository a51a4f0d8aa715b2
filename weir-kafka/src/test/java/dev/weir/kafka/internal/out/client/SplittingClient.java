package dev.weir.kafka.internal.out.client;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.serialization.StringSerializer;

/** A client that reports as many batch splits as a test says. */
public class SplittingClient extends MockProducer<String, String> {

    public double splits;

    public SplittingClient() {
        super(false, null, new StringSerializer(), new StringSerializer());
    }

    /** Creates a check that reports a client as stuck after {@code seconds}, and all brokers as healthy. */
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
