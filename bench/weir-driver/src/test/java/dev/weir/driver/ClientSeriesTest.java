package dev.weir.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.AttributeNotFoundException;
import javax.management.DynamicMBean;
import javax.management.MBeanInfo;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

class ClientSeriesTest {
    private static final long SECOND = 1_000_000_000;

    private final MBeanServer beans = MBeanServerFactory.newMBeanServer();

    /** A bean with numbers by name, like the beans of Kafka's clients. */
    static final class Gauges implements DynamicMBean {
        final Map<String, Double> values = new HashMap<>();

        @Override
        public Object getAttribute(String name) throws AttributeNotFoundException {
            Double value = values.get(name);
            if (value == null) {
                throw new AttributeNotFoundException(name);
            }
            return value;
        }

        @Override
        public void setAttribute(Attribute attribute) {}

        @Override
        public AttributeList getAttributes(String[] names) {
            return new AttributeList();
        }

        @Override
        public AttributeList setAttributes(AttributeList attributes) {
            return attributes;
        }

        @Override
        public Object invoke(String action, Object[] parameters, String[] signature) {
            return "";
        }

        @Override
        public MBeanInfo getMBeanInfo() {
            return new MBeanInfo(Gauges.class.getName(), "", null, null, null, null);
        }
    }

    private Gauges bean(String name) throws Exception {
        Gauges gauges = new Gauges();
        beans.registerMBean(gauges, new ObjectName(name));
        return gauges;
    }

    @Test
    void countsAreOfTheTimeBetweenTwoLooks_ofAllClients() throws Exception {
        for (int client = 0; client < 2; client++) {
            Gauges fetches = bean("kafka.consumer:type=consumer-fetch-manager-metrics,client-id=c" + client);
            fetches.values.putAll(Map.of(
                    "fetch-total", 10.0,
                    "records-consumed-total", 100.0,
                    "fetch-latency-avg", 40.0,
                    "records-consumed-rate", 500.0));
            bean("kafka.consumer:type=consumer-metrics,client-id=c" + client)
                    .values
                    .put("time-between-poll-avg", 20.0);
        }
        ClientSeries series = new ClientSeries(beans);
        assertThat(series.look(0)).isEmpty();
        assertThat(series.look(SECOND / 2)).as("too soon").isEmpty();
        beans.unregisterMBean(new ObjectName("kafka.consumer:type=consumer-fetch-manager-metrics,client-id=c1"));
        Gauges again = bean("kafka.consumer:type=consumer-fetch-manager-metrics,client-id=c1");
        again.values.putAll(Map.of(
                "fetch-total", 60.0,
                "records-consumed-total", 1_100.0,
                "fetch-latency-avg", 40.0,
                "records-consumed-rate", 500.0));
        assertThat(series.look(2 * SECOND))
                .containsOnly(
                        entry(ClientSeries.FETCHES, 25.0),
                        entry(ClientSeries.RECORDS_PER_FETCH, 20.0),
                        entry(ClientSeries.FETCHES_UNDER_WAY, 1.0),
                        entry(ClientSeries.FETCH_MILLIS, 40.0),
                        entry(ClientSeries.RECORDS_PER_POLL, 10.0));
    }

    private static Map<String, Double> fetched(double fetches, double records) {
        return Map.of("fetch-total", fetches, "records-consumed-total", records, "fetch-latency-avg", 40.0);
    }

    private static Map<String, Double> produced(double requestsInFlight) {
        return Map.of("requests-in-flight", requestsInFlight, "request-latency-avg", 7.0, "batch-size-avg", 16_000.0);
    }

    /** A client closes while the metrics of other clients are read. */
    @Test
    void clientThatCloses_doesNotHideTheCountsOfTheOthers() throws Exception {
        Map<String, Gauges> consumers = new HashMap<>();
        Map<String, Gauges> producers = new HashMap<>();
        for (String client : List.of("a", "b", "c")) {
            consumers.put(client, bean("kafka.consumer:type=consumer-fetch-manager-metrics,client-id=" + client));
            producers.put(client, bean("kafka.producer:type=producer-metrics,client-id=" + client));
        }
        consumers.values().forEach(each -> each.values.putAll(fetched(10, 100)));
        producers.values().forEach(each -> each.values.putAll(produced(1)));
        ClientSeries series = new ClientSeries(beans);
        assertThat(series.look(0)).containsEntry(ClientSeries.REQUESTS_UNDER_WAY, 3.0);
        consumers.values().forEach(each -> each.values.putAll(fetched(20, 300)));
        Objects.requireNonNull(consumers.get("b")).values.clear();
        Objects.requireNonNull(producers.get("b")).values.clear();
        assertThat(series.look(2 * SECOND))
                .containsOnly(
                        entry(ClientSeries.FETCHES, 10.0),
                        entry(ClientSeries.RECORDS_PER_FETCH, 20.0),
                        entry(ClientSeries.FETCHES_UNDER_WAY, 0.4),
                        entry(ClientSeries.FETCH_MILLIS, 40.0),
                        entry(ClientSeries.REQUESTS_UNDER_WAY, 2.0),
                        entry(ClientSeries.PRODUCE_MILLIS, 7.0),
                        entry(ClientSeries.BATCH_KILOBYTES, 16.0));
    }

    @Test
    void clientThatIsOpenedOrReopened_countsFromZero() throws Exception {
        Gauges reopened = bean("kafka.consumer:type=consumer-fetch-manager-metrics,client-id=a");
        reopened.values.putAll(fetched(90, 900));
        ClientSeries series = new ClientSeries(beans);
        assertThat(series.look(0)).isEmpty();
        reopened.values.putAll(fetched(4, 40));
        bean("kafka.consumer:type=consumer-fetch-manager-metrics,client-id=b")
                .values
                .putAll(fetched(6, 60));
        assertThat(series.look(2 * SECOND))
                .contains(entry(ClientSeries.FETCHES, 5.0), entry(ClientSeries.RECORDS_PER_FETCH, 10.0));
    }

    @Test
    void producers_tellWhatIsUnderWay() throws Exception {
        bean("kafka.producer:type=producer-metrics,client-id=p")
                .values
                .putAll(Map.of("requests-in-flight", 3.0, "request-latency-avg", 7.0, "batch-size-avg", 16_000.0));
        assertThat(new ClientSeries(beans).look(0))
                .containsOnly(
                        entry(ClientSeries.REQUESTS_UNDER_WAY, 3.0),
                        entry(ClientSeries.PRODUCE_MILLIS, 7.0),
                        entry(ClientSeries.BATCH_KILOBYTES, 16.0));
    }
}
