// A bot: plays the middle cell of the list of legal cells.
//   noughts arena easy --rules connect4 -- java MyBot.java
import java.util.*;

class MyBot {
    public static void main(String[] args) {
        Scanner positions = new Scanner(System.in);
        while (positions.hasNextLine()) {
            String legal = positions.nextLine().split("\"legal\":\\[\"")[1].split("\"]")[0];
            String[] cells = legal.split("\",\"");
            System.out.println(cells[cells.length / 2]);
        }
    }
}
