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
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Keeps the slow requests of an access log: requests that took a second or more. */
public final class LogFilter {

    private static final Logger LOG = System.getLogger(LogFilter.class.getName());

    private static final Pattern REQUEST =
            Pattern.compile("^(\\S+) .*\"(GET|POST|PUT|DELETE) (\\S+?)(?:\\?\\S*)? HTTP/[0-9.]+\" (\\d{3}) (\\d+)ms$");

    private LogFilter() {}

    /** Runs until it is stopped. The optional argument is a broker address; the default is {@code localhost:9092}. */
    public static void main(String[] args) throws IOException, InterruptedException {
        String brokers = args.length == 0 ? "localhost:9092" : args[0];
        Usage.check(args.length <= 1 && Usage.isAddress(brokers), "LogFilter [HOST:PORT]");
        try (RunningPipeline running = pipeline(brokers, Subscription.topics("access-log"))
                        .run()
                        .drainOnShutdown();
                ConsoleServer console = ConsoleServer.builder().port(9500).start(running)) {
            LOG.log(Level.INFO, "console at {0}", console.uri());
            running.await();
        }
    }

    /** Returns a pipeline that writes slow requests as {@code HOST METHOD PATH STATUS MILLIS}. */
    public static Pipeline pipeline(String brokers, Subscription log) {
        var consumer = ConsumerSettings.builder(new StringDeserializer(), new StringDeserializer())
                .bootstrapServers(brokers)
                .groupId("slow-requests")
                .maxOutstandingRecords(200)
                .build();
        var producer = ProducerSettings.builder(new StringSerializer(), new StringSerializer())
                .bootstrapServers(brokers)
                .build();
        return KafkaSource.from(consumer, log)
                .atLeastOnce()
                .mapBlocking(2, RecordOrdering.byPartition(), LogFilter::slow)
                .named("match")
                .mapConcat(matching -> matching)
                .to(KafkaSink.with(producer).records());
    }

    private static List<ProducerRecord<String, String>> slow(ConsumerRecord<String, String> line) {
        Matcher request = REQUEST.matcher(line.value());
        if (!request.matches() || request.group(5).length() < 4) {
            return List.of();
        }
        String slow = "%s %s %s %s %s"
                .formatted(request.group(1), request.group(2), request.group(3), request.group(4), request.group(5));
        return List.of(new ProducerRecord<>("slow-requests", line.key(), slow));
    }
}
