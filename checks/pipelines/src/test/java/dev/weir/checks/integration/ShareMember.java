package dev.weir.checks.integration;

import dev.weir.kafka.FetchPath;
import dev.weir.kafka.KafkaFlow;
import dev.weir.kafka.ShareSettings;
import dev.weir.kafka.ShareSettings.Start;
import dev.weir.stream.Ordering;
import java.util.concurrent.CountDownLatch;

/** A share group member in a process that tests kill. Its handlers never return. */
final class ShareMember {

    private ShareMember() {}

    /**
     * Takes the brokers, the topic, the group, the dead-letter topic, the number of started handlers after which it
     * reports, the number of share consumers, the fetch path (the client's by default), and optionally a name.
     */
    public static void main(String[] args) throws InterruptedException {
        var builder = ShareSettings.builder()
                .bootstrapServers(args[0])
                .groupId(args[2])
                .startAt(Start.EARLIEST)
                .deadLetterTopic(args[3])
                .maxLanes(Integer.parseInt(args[5]))
                .fetch(args.length > 6 ? FetchPath.valueOf(args[6]) : FetchPath.CLIENT);
        var settings = (args.length > 7 ? builder.memberName(args[7]) : builder).build();
        CountDownLatch begun = new CountDownLatch(Integer.parseInt(args[4]));
        CountDownLatch never = new CountDownLatch(1);
        var running = KafkaFlow.shared(settings, args[1])
                .forEach(16, Ordering.unordered(), record -> {
                    begun.countDown();
                    never.await();
                })
                .run();
        begun.await();
        System.out.println("begun");
        running.await();
    }
}
