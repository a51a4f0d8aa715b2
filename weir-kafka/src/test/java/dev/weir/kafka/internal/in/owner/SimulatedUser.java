package dev.weir.kafka.internal.in.owner;

import static dev.weir.kafka.internal.in.owner.SimulatedWorld.require;

import dev.weir.kafka.Position;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.TopicPartition;

/** A user who pauses, resumes and seeks through the consumer's handle. Confined to the simulation's thread. */
final class SimulatedUser {

    private final SimulatedWorld world;
    private final ConsumerControl handle;
    private final Random random;
    private final Set<TopicPartition> paused = new HashSet<>();
    private final List<CompletableFuture<Void>> seeks = new ArrayList<>();
    private boolean allPaused;

    int pauses;

    SimulatedUser(SimulatedWorld world, ConsumerControl handle) {
        this.world = world;
        this.handle = handle;
        this.random = world.random;
    }

    boolean isPaused(TopicPartition id) {
        return allPaused || paused.contains(id);
    }

    void pauseSome() {
        pauses++;
        List<TopicPartition> some = some();
        if (some.isEmpty()) {
            handle.pause();
            allPaused = true;
        } else {
            handle.pause(some);
            paused.addAll(some);
        }
    }

    void resumeSome() {
        List<TopicPartition> some = some();
        if (some.isEmpty()) {
            resumeAll();
        } else {
            handle.resume(some);
            some.forEach(paused::remove);
        }
    }

    void resumeAll() {
        handle.resume();
        letGo();
    }

    /** Ends the user's pauses, because the consumer has resumed all partitions. */
    void letGo() {
        paused.clear();
        allPaused = false;
    }

    private List<TopicPartition> some() {
        return world.logs.keySet().stream().filter(id -> random.nextBoolean()).toList();
    }

    /** Seeks a random partition, assigned or not, to a random position. */
    void seek() {
        List<SimulatedLog> logs = List.copyOf(world.logs.values());
        SimulatedLog log = logs.get(random.nextInt(logs.size()));
        if (!log.held && !log.seekAsked && world.troubles.isSettled(log)) {
            log.seekAsked = true;
            Position position = switch (random.nextInt(8)) {
                case 0 -> Position.beginning();
                case 1 -> Position.end();
                default -> Position.offset(random.nextInt(log.end + 1));
            };
            CompletableFuture<Void> done = handle.request(Map.of(log.id, position));
            seeks.add(done);
            var ignored = done.whenComplete((placed, failure) -> log.seekAsked = false);
        }
    }

    /** Requires an answer to every seek before the consumer ended. */
    void requireAnswers() {
        require(seeks.stream().allMatch(CompletableFuture::isDone), "a seek was never answered");
    }
}
