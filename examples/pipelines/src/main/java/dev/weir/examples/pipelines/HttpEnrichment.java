package dev.weir.examples.pipelines;

import dev.weir.console.ConsoleServer;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.RecordOrdering;
import dev.weir.kafka.Subscription;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RunningPipeline;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Adds the customer's name to each order by calling an HTTP service. */
public final class HttpEnrichment {

    private static final Logger LOG = System.getLogger(HttpEnrichment.class.getName());

    private final HttpClient http = HttpClient.newHttpClient();
    private final URI customers;

    private HttpEnrichment(URI customers) {
        this.customers = customers;
    }

    /** Runs until it is stopped. The optional argument is a broker address; the default is {@code localhost:9092}. */
    public static void main(String[] args) throws IOException, InterruptedException {
        String brokers = args.length == 0 ? "localhost:9092" : args[0];
        Usage.check(args.length <= 1 && Usage.isAddress(brokers), "HttpEnrichment [HOST:PORT]");
        try (CustomerService service = CustomerService.start(Duration.ofMillis(20));
                RunningPipeline running = pipeline(brokers, Subscription.topics("orders"), service.uri())
                        .run()
                        .drainOnShutdown();
                ConsoleServer console = ConsoleServer.builder().port(9500).start(running)) {
            LOG.log(Level.INFO, "console at {0}", console.uri());
            running.await();
        }
    }

    /** Returns a pipeline that writes orders with names. */
    public static Pipeline pipeline(String brokers, Subscription orders, URI customers) {
        HttpEnrichment enrichment = new HttpEnrichment(customers);
        var consumer = ConsumerSettings.builder(new StringDeserializer(), new StringDeserializer())
                .bootstrapServers(brokers)
                .groupId("enrichment")
                .build();
        var producer = ProducerSettings.builder(new StringSerializer(), new StringSerializer())
                .bootstrapServers(brokers)
                .build();
        return KafkaSource.from(consumer, orders)
                .atLeastOnce()
                .mapBlocking(4, RecordOrdering.byKey(), enrichment::enriched)
                .named("customer")
                .to(KafkaSink.with(producer).records());
    }

    private ProducerRecord<String, String> enriched(ConsumerRecord<String, String> order)
            throws IOException, InterruptedException {
        HttpResponse<String> customer = http.send(
                HttpRequest.newBuilder(customers.resolve("/customers/" + order.key()))
                        .build(),
                BodyHandlers.ofString());
        if (customer.statusCode() != 200) {
            throw new IOException("the customer service answered " + customer.statusCode() + " for " + order.key());
        }
        return new ProducerRecord<>("enriched-orders", order.key(), customer.body() + ": " + order.value());
    }
}
