package planted.cli;

/** A correct class: the command may print and exit. */
public final class Prints {
    public void print() {
        System.out.println("done");
        System.exit(0);
    }
}
