package dev.weir.site;

import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Block;
import org.commonmark.node.Code;
import org.commonmark.node.CustomNode;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.HardLineBreak;
import org.commonmark.node.IndentedCodeBlock;
import org.commonmark.node.Node;
import org.commonmark.node.SoftLineBreak;
import org.commonmark.node.Text;

/** The words of a node, without marks: commonmark's own renderer of text puts code in quotes. */
final class PlainText extends AbstractVisitor {

    private final StringBuilder text = new StringBuilder();

    private PlainText() {}

    static String of(Node node) {
        PlainText words = new PlainText();
        node.accept(words);
        return words.text.toString().strip().replaceAll("\\s+", " ");
    }

    @Override
    public void visit(Text node) {
        text.append(node.getLiteral());
    }

    @Override
    public void visit(Code node) {
        text.append(node.getLiteral());
    }

    @Override
    public void visit(SoftLineBreak node) {
        text.append(' ');
    }

    @Override
    public void visit(HardLineBreak node) {
        text.append(' ');
    }

    @Override
    public void visit(FencedCodeBlock node) {
        text.append(node.getLiteral()).append(' ');
    }

    @Override
    public void visit(IndentedCodeBlock node) {
        text.append(node.getLiteral()).append(' ');
    }

    /** The cells of a table. */
    @Override
    public void visit(CustomNode node) {
        visitChildren(node);
        text.append(' ');
    }

    @Override
    protected void visitChildren(Node parent) {
        super.visitChildren(parent);
        if (parent instanceof Block) {
            text.append(' ');
        }
    }
}
