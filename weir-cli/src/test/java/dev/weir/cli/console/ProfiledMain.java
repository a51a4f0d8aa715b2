package dev.weir.cli.console;

import dev.weir.console.ConsoleServer;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** A process with a busy pipeline and a console. It ends with its standard input. */
final class ProfiledMain {

    private static final Semaphore NEVER = new Semaphore(0);

    private static volatile long kept;

    private ProfiledMain() {}

    /** Uses some processor time. */
    private static Long price(Long number) {
        long state = number;
        for (int i = 0; i < 200_000; i++) {
            state = state * 6_364_136_223_846_793_005L + 1_442_695_040_888_963_407L;
        }
        kept = state;
        try {
            boolean ignored = NEVER.tryAcquire(1, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return number;
    }

    public static void main(String[] args) throws Exception {
        try (RunningPipeline running = Source.range(0, Long.MAX_VALUE)
                        .map(ProfiledMain::price)
                        .named("price")
                        .to(Sink.ignore())
                        .run();
                ConsoleServer console = ConsoleServer.builder().start(running)) {
            System.out.println(console.uri());
            int end = System.in.read();
            running.cancel();
            System.out.println("ended " + end + " " + kept);
        }
    }
}
