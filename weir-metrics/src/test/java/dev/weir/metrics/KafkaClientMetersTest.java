package dev.weir.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.AttributeNotFoundException;
import javax.management.DynamicMBean;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

class KafkaClientMetersTest {

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private static KafkaProducer<byte[], byte[]> producer(String id) {
        return new KafkaProducer<>(
                Map.of("bootstrap.servers", "127.0.0.1:9", "client.id", id, "buffer.memory", 1_000_000),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    @Test
    void clients_thatComeAndGo_areRegisteredAndRemoved() {
        try (KafkaClientMeters meters = KafkaClientMeters.create()) {
            meters.bindTo(registry);
            try (KafkaProducer<byte[], byte[]> client = producer("shop:1")) {
                assertThat(client.metrics()).isNotEmpty();
                meters.lookNow();
                assertThat(registry.get("kafka.producer.buffer.total.bytes")
                                .tag("client_id", "shop:1")
                                .gauge()
                                .value())
                        .isEqualTo(1_000_000);
                assertThat(registry.get("kafka.producer.record.send.total")
                                .meter()
                                .getId()
                                .getType())
                        .isEqualTo(Meter.Type.COUNTER);
            }
            meters.lookNow();
            assertThat(registry.getMeters()).isEmpty();
        }
    }

    @Test
    void close_removesTheMeters_andNoneIsBoundAfterwards() {
        KafkaClientMeters meters = KafkaClientMeters.create();
        try (KafkaProducer<byte[], byte[]> client = producer("shop-2")) {
            assertThat(client.metrics()).isNotEmpty();
            meters.bindTo(registry);
            assertThat(registry.getMeters()).isNotEmpty();
            meters.close();
            assertThat(registry.getMeters()).isEmpty();
            assertThatThrownBy(() -> meters.bindTo(registry)).isInstanceOf(IllegalStateException.class);
        }
    }

    /** Regression: the meters of other clients disappeared until the next check. */
    @Test
    void clientThatCloses_duringACheck_hidesNoOther() throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        List<ObjectName> closing = new ArrayList<>();
        try (KafkaClientMeters meters = KafkaClientMeters.create();
                KafkaProducer<byte[], byte[]> client = producer("stays")) {
            assertThat(client.metrics()).isNotEmpty();
            for (int i = 0; i < 10; i++) {
                ObjectName name = new ObjectName("kafka.producer:type=producer-metrics,client-id=closing-" + i);
                server.registerMBean(new Closing(), name);
                closing.add(name);
            }
            meters.bindTo(registry);
            meters.lookNow();
            assertThat(registry.find("kafka.producer.buffer.total.bytes")
                            .tag("client_id", "stays")
                            .gauge())
                    .isNotNull();
        } finally {
            for (ObjectName name : closing) {
                server.unregisterMBean(name);
            }
        }
    }

    /** Some registries count the differences between readings. */
    @Test
    void counter_ofAClientThatIsClosedAndReopened_neverDecreases() throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        ObjectName name = new ObjectName("kafka.producer:type=producer-metrics,client-id=reopened");
        try (KafkaClientMeters meters = KafkaClientMeters.create()) {
            server.registerMBean(new Sending(100), name);
            meters.bindTo(registry);
            FunctionCounter sent = registry.get("kafka.producer.sent.total").functionCounter();
            assertThat(sent.count()).isEqualTo(100);
            server.unregisterMBean(name);
            assertThat(sent.count()).isEqualTo(100);
            server.registerMBean(new Sending(30), name);
            meters.lookNow();
            assertThat(sent.count()).isEqualTo(130);
        } finally {
            if (server.isRegistered(name)) {
                server.unregisterMBean(name);
            }
        }
    }

    @Test
    void registryThatThrows_isTriedAgainAtTheNextCheck() throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        ObjectName name = new ObjectName("kafka.producer:type=producer-metrics,client-id=late");
        AtomicBoolean broken = new AtomicBoolean();
        registry.config().meterFilter(new MeterFilter() {
            @Override
            public Meter.Id map(Meter.Id id) {
                if (broken.get()) {
                    throw new StackOverflowError("planted");
                }
                return id;
            }
        });
        try (KafkaClientMeters meters = KafkaClientMeters.create()) {
            meters.bindTo(registry);
            server.registerMBean(new Sending(1), name);
            broken.set(true);
            meters.lookNow();
            broken.set(false);
            meters.lookNow();
            assertThat(registry.find("kafka.producer.sent.total").meter()).isNotNull();
        } finally {
            server.unregisterMBean(name);
        }
    }

    /** The bean of a client that has sent records. */
    private record Sending(double sent) implements DynamicMBean {

        @Override
        public Object getAttribute(String name) {
            return sent;
        }

        @Override
        public MBeanInfo getMBeanInfo() {
            MBeanAttributeInfo[] attributes = {new MBeanAttributeInfo("sent-total", "double", "", true, false, false)};
            return new MBeanInfo(Sending.class.getName(), "", attributes, null, null, null);
        }

        @Override
        public AttributeList getAttributes(String[] names) {
            return new AttributeList();
        }

        @Override
        public void setAttribute(Attribute attribute) {}

        @Override
        public AttributeList setAttributes(AttributeList attributes) {
            return attributes;
        }

        @Override
        public Object invoke(String action, Object[] parameters, String[] signature) {
            return "";
        }
    }

    /** A bean whose client closes before a read of its attribute. */
    public interface ClosingMBean {
        double getRate() throws AttributeNotFoundException;
    }

    public static final class Closing implements ClosingMBean {
        @Override
        public double getRate() throws AttributeNotFoundException {
            throw new AttributeNotFoundException("planted");
        }
    }
}
