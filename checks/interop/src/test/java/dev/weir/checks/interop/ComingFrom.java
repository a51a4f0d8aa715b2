package dev.weir.checks.interop;

import dev.weir.checks.interop.Shop.Malformed;
import dev.weir.checks.interop.Shop.Order;
import dev.weir.stream.Ordering;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.stream.ActorAttributes;
import org.apache.pekko.stream.Supervision;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** The pipeline of {@code docs/guide/coming-from.md} in each library. Stateless. */
final class ComingFrom {

    private ComingFrom() {}

    static void weir(Iterable<String> lines, Shop shop) throws InterruptedException {
        Source.from(lines)
                .mapConcat(shop::parseOrReject)
                .filter(order -> order.pieces() > 0)
                .mapBlocking(8, Ordering.byKey(Order::customer), shop::price)
                .groupedWithin(100, Duration.ofSeconds(1))
                .to(Sink.forEach(shop::write))
                .run()
                .await();
    }

    static void pekko(Iterable<String> lines, Shop shop, ActorSystem system, Executor blocking) throws Exception {
        org.apache.pekko.stream.javadsl.Source.from(lines)
                .map(shop::parse)
                .withAttributes(ActorAttributes.withSupervisionStrategy(failure -> {
                    if (failure instanceof Malformed malformed) {
                        shop.reject(malformed);
                        return Supervision.resumingDecider().apply(failure);
                    }
                    return Supervision.stoppingDecider().apply(failure);
                }))
                .filter(order -> order.pieces() > 0)
                .mapAsyncPartitioned(
                        8,
                        Order::customer,
                        (order, customer) -> CompletableFuture.supplyAsync(() -> shop.price(order), blocking))
                .groupedWithin(100, Duration.ofSeconds(1))
                .mapAsync(
                        1,
                        batch -> CompletableFuture.runAsync(() -> shop.write(batch), blocking)
                                .thenApply(done -> batch))
                .runWith(org.apache.pekko.stream.javadsl.Sink.ignore(), system)
                .toCompletableFuture()
                .get();
    }

    static void reactor(Iterable<String> lines, Shop shop) {
        Flux.fromIterable(lines)
                .<Order>handle((line, out) -> {
                    try {
                        out.next(shop.parse(line));
                    } catch (Malformed malformed) {
                        shop.reject(malformed);
                    }
                })
                .filter(order -> order.pieces() > 0)
                .groupBy(order -> Math.floorMod(order.customer().hashCode(), 8))
                .flatMap(lane -> lane.publishOn(Schedulers.boundedElastic()).map(shop::price), 8)
                .bufferTimeout(100, Duration.ofSeconds(1), true)
                .concatMap(batch -> Mono.fromRunnable(() -> shop.write(batch)).subscribeOn(Schedulers.boundedElastic()))
                .blockLast();
    }

    static void mutiny(Iterable<String> lines, Shop shop, Executor blocking) {
        Multi.createFrom()
                .iterable(lines)
                .onItem()
                .<Order>transformToIterable(shop::parseOrReject)
                .select()
                .where(order -> order.pieces() > 0)
                .group()
                .by(order -> Math.floorMod(order.customer().hashCode(), 8))
                .onItem()
                .transformToMulti(lane -> lane.emitOn(blocking).onItem().transform(shop::price))
                .merge(8)
                .group()
                .intoLists()
                .of(100, Duration.ofSeconds(1))
                .onOverflow()
                .buffer(1000)
                .onItem()
                .transformToUniAndConcatenate(batch ->
                        Uni.createFrom().voidItem().emitOn(blocking).onItem().invoke(() -> shop.write(batch)))
                .onItem()
                .ignoreAsUni()
                .await()
                .indefinitely();
    }
}
