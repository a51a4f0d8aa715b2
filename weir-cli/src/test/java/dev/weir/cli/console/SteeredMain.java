package dev.weir.cli.console;

import dev.weir.console.ConsoleServer;
import dev.weir.stream.Ordering;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;

/** A process with a pipeline and a console. It ends with its standard input. */
final class SteeredMain {

    private SteeredMain() {}

    public static void main(String[] args) throws Exception {
        try (RunningPipeline running = Source.<Integer>never()
                        .mapBlocking(2, Ordering.input(), number -> number)
                        .named("price")
                        .to(Sink.ignore())
                        .run();
                ConsoleServer console = ConsoleServer.builder().start(running)) {
            System.out.println(console.uri());
            int end = System.in.read();
            running.cancel();
            System.out.println("ended " + end);
        }
    }
}
