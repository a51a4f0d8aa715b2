package userland;

import dev.weir.stream.Attributes;
import dev.weir.stream.Dispatchers;
import dev.weir.stream.Flow;
import dev.weir.stream.Ordering;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Samples of {@code docs/guide/own-operators.md} and {@code docs/reference/dispatchers.md}, word for word. Stateless.
 */
final class DocumentSamples {

    private DocumentSamples() {}

    record Order(long total) {

        static Order parse(String line) {
            return new Order(Long.parseLong(line));
        }
    }

    static final Flow<String, Order> ORDERS =
            Flow.of("orders", lines -> lines.filterNot(String::isBlank).map(Order::parse));

    static Source<Order> repeated(Source<Order> orders) {
        return orders.operator("repeated", () -> new Repeated<>(order -> List.of(order, order)));
    }

    static Source<Order> large(Source<Order> orders) {
        return orders.stage(
                "large", (upstream, context) -> new Kept<>(upstream, context, order -> order.total() > 1_000));
    }

    static Pipeline named(List<String> lines, Sink<Order> store) {
        return Source.from(lines).via(ORDERS).to(store); // with the stages orders/filterNot and orders/map
    }

    static final ConcurrentLinkedQueue<Integer> results = new ConcurrentLinkedQueue<>();

    static int lookUp(int number) {
        return number;
    }

    static void onDispatchers() throws IOException, InterruptedException {
        try (Dispatchers dispatchers = Dispatchers.load(Path.of("dispatchers.properties"))) {
            Pipeline pipeline = Source.of(1, 2, 3)
                    .mapParallel(2, n -> n * n)
                    .with(Attributes.NONE.withDispatcher(dispatchers.get("cpu-heavy")))
                    .mapBlocking(4, Ordering.input(), n -> lookUp(n))
                    .with(Attributes.NONE.withDispatcher(dispatchers.get("legacy")))
                    .to(Sink.forEach(results::add));
            try (RunningPipeline running = pipeline.run()) {
                running.await();
            }
            System.out.println(dispatchers.snapshots());
        }
    }
}
